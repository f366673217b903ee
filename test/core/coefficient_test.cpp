#include <ridge/core/coefficient.hpp>

#include <gtest/gtest.h>

namespace {

using ridge::Coefficient;
using ridge::Pack;

TEST(Coefficient, IsTheNumberRoundedToThePrecisionItIsReadIn) {
  const Coefficient third = 1.0 / 3;
  EXPECT_EQ(static_cast<double>(third), 1.0 / 3);
  EXPECT_EQ((third.as<double>()), 1.0 / 3);
  EXPECT_EQ((third.as<float>()), 1.0F / 3);
  EXPECT_EQ((third.as<Pack<double, 2>>()[1]), 1.0 / 3);
  EXPECT_EQ((third.as<Pack<float, 4>>()[3]), 1.0F / 3);
}

} // namespace
