// Searches for a mode that makes Wilson's operator singular: what they find, and when they end.
#include <ridge/core/random.hpp>

#include "../src/singular_mode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::gauge {
namespace {

using ::testing::HasSubstr;
using ModeSites = std::vector<Spinor<double>>;

const Extents size_of_modes{2, 4, 2, 4};

/// Constant fields are modes of D = 1 - 8 kappa between unit links.
HostLinks links_of_unity() {
  HostLinks links(static_cast<std::size_t>(4 * size_of_modes.count()));
  for (auto& link : links) {
    for (int c = 0; c < 9; ++c)
      component(link, c) = {c % 4 == 0 ? 1.0 : 0.0, 0};
  }
  return links;
}

/// One component of all sites, and others by chance: a mode that has to be looked for.
ModeSites near_constant() {
  ModeSites x(static_cast<std::size_t>(size_of_modes.count()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int c = 0; c < 12; ++c)
      component(x[i], c) = {(c == 0 ? 3.0 : 0.0) + random_value(5, static_cast<int>(12 * i) + c),
                            0};
  }
  return x;
}

/// The searches' answer to kappa, and how often they asked whether to go on.
std::string found(double kappa, const std::function<bool()>& go_on, int& asked) {
  ModeSites b(static_cast<std::size_t>(size_of_modes.count()));
  component(b[0], 0) = {1, 0};
  asked = 0;
  return singular_text(size_of_modes, links_of_unity(), by_kappa(kappa), near_constant(), b, [&] {
    ++asked;
    return go_on();
  });
}

TEST(SingularMode, IsFoundWithoutABound) {
  int asked = 0;
  EXPECT_THAT(found(
                  0.125, [] { return true; }, asked),
              HasSubstr("kappa 0.125 is exceptional"));
  EXPECT_GT(asked, 5);
  EXPECT_THAT(found(
                  0.13, [] { return true; }, asked),
              HasSubstr("kappa 0.13 is beyond critical"));
}

TEST(SingularMode, IsLookedForAsLongAsSolvesTookAndNoLonger) {
  double now = 100;
  int asked = 0;
  const auto look = [&](double solving, double searched) {
    const SearchTime time(solving, searched, [&] { return now; });
    (void)found(
        0.125,
        [&] {
          now += 1;
          return time.is_left();
        },
        asked);
    return asked;
  };
  EXPECT_EQ(look(0.1, 0), 5); // five seconds at least
  EXPECT_EQ(look(4, 3), 2);   // of all searches together
  EXPECT_EQ(look(7, 0), 7);
  EXPECT_FALSE(SearchTime(6, 6, [&] { return now; }).is_left());
}

} // namespace
} // namespace ridge::gauge
