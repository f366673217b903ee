#include <ridge/core/units.hpp>

#include <gtest/gtest.h>

namespace ridge {
namespace {

TEST(Units, ThreeDigitsAndAPrefix) {
  EXPECT_EQ(to_text(Bytes{0}), "0 B");
  EXPECT_EQ(to_text(Bytes{999}), "999 B");
  EXPECT_EQ(to_text(Bytes{1000}), "1.00 kB");
  EXPECT_EQ(to_text(Bytes{1073741824}), "1.07 GB");
  EXPECT_EQ(to_text(Seconds{5.55e-4}), "555 us");
  EXPECT_EQ(quantity(3.85e12, "B/s"), "3.85 TB/s");
}

TEST(Units, RoundingCarriesIntoTheNextPrefix) {
  EXPECT_EQ(to_text(Seconds{9.999e-4}), "1.00 ms");
  EXPECT_EQ(to_text(Bytes{999999}), "1.00 MB");
  EXPECT_EQ(to_text(Seconds{9.996}), "10.0 s");
}

} // namespace
} // namespace ridge
