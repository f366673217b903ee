// Links on the host that are made special unitary, or cannot be.
#include <ridge/core/error.hpp>
#include <ridge/gauge/slices.hpp>
#include <ridge/gauge/su3.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace ridge::gauge {
namespace {

using Matrix = lattice::ColourMatrix<double>;

HostLinks links_near_one(Index count) {
  HostLinks links;
  for (Index i = 0; i < count; ++i)
    links.push_back(random_su3(3, i, 0.5));
  return links;
}

std::string refusal_of(HostLinks links) {
  const auto one = comm::alone();
  try {
    make_special_unitary(Slices(*one, {1, 1, 1, static_cast<Index>(links.size()) / 4}), links);
  } catch (const Failure& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(SpecialUnitary, LinksAreRestored) {
  const HostLinks right = links_near_one(12);
  HostLinks links = right;
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (int c = 0; c < 9; ++c)
      component(links[i], c) = (i < 6 ? 1e-50 : 1e50) * component(links[i], c);
    for (int j = 0; j < 3; ++j)
      links[i](2, j) = {std::numeric_limits<double>::quiet_NaN(), 0}; // of the others
  }
  const auto one = comm::alone();
  make_special_unitary(Slices(*one, {1, 1, 1, 3}), links);
  EXPECT_LE(unitarity(links).distance, 1e-14);
  for (std::size_t i = 0; i < links.size(); ++i)
    for (int c = 0; c < 9; ++c)
      EXPECT_NEAR(component(links[i], c).re, component(right[i], c).re, 1e-14);
}

TEST(SpecialUnitary, TheFirstLinkThatIsNearNoneIsNamed) {
  using Change = void (*)(Matrix&);
  const Change changes[] = {
      [](Matrix& u) { u = {}; },
      [](Matrix& u) { u(1, 2).im = std::numeric_limits<double>::quiet_NaN(); },
      [](Matrix& u) { u(0, 0).re = std::numeric_limits<double>::infinity(); },
      [](Matrix& u) {
        for (int j = 0; j < 3; ++j)
          u(0, j) = 0.0 * u(0, j);
      },
      [](Matrix& u) { // the same row but for a phase, and rounding
        for (int j = 0; j < 3; ++j)
          u(1, j) = lattice::Complex<double>(0.6, 0.8) * u(0, j);
      }};
  for (const Change change : changes) {
    HostLinks links = links_near_one(12);
    change(links[6]);
    change(links[9]);
    EXPECT_THAT(refusal_of(links), ::testing::StartsWith("the link at site 1 along z is near no"));
  }
  EXPECT_EQ(refusal_of(links_near_one(12)), "nothing was refused");
}

} // namespace
} // namespace ridge::gauge
