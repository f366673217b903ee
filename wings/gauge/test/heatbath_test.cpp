// What heatbath is made of: random numbers, functions in rounded arithmetic, the density of the
// Kennedy-Pendleton heatbath, and subgroup updates.
#include <ridge/core/philox.hpp>
#include <ridge/gauge/heatbath.hpp>
#include <ridge/gauge/su3.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ridge::gauge {
namespace {

// From the Random123 distribution of the authors, kat_vectors.
TEST(Philox, GivesThePublishedWords) {
  struct Known {
    PhiloxWords counter;
    std::uint64_t key;
    PhiloxWords words;
  };
  const Known all[] = {
      {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {{{~0u, ~0u, ~0u, ~0u}}, ~0ull, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       0x299f31d0a4093822,
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}}};
  for (const Known& known : all) {
    const PhiloxWords words = philox(known.counter, known.key);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(words.w[i], known.words.w[i]) << i;
  }
}

TEST(RoundedMath, IsAsExactAsItSays) {
  for (int i = 1; i < 20000; ++i) {
    const double x = uniform_of(static_cast<std::uint32_t>(i) * 2654435761u, 12345);
    EXPECT_NEAR(logarithm(x).v, std::log(x), 2e-16 + 4e-16 * std::abs(std::log(x))) << x;
    const CosSin turned = cos_sin_of_turns(x);
    EXPECT_NEAR(turned.cos.v, std::cos(2 * std::numbers::pi * x), 1e-15) << x;
    EXPECT_NEAR(turned.sin.v, std::sin(2 * std::numbers::pi * x), 1e-15) << x;
  }
  EXPECT_NEAR(logarithm(0x1p-53).v, std::log(0x1p-53), 1e-14);
}

/// The mean of x^power under sqrt(1 - x^2) exp(a x), by the midpoint rule in the angle.
double moment(double a, int power) {
  double above = 0;
  double below = 0;
  constexpr int points = 20000;
  for (int i = 0; i < points; ++i) {
    const double angle = std::numbers::pi * (i + 0.5) / points;
    const double x = std::cos(angle);
    const double weight = std::sin(angle) * std::sin(angle) * std::exp(a * (x - 1));
    above += weight * std::pow(x, power);
    below += weight;
  }
  return above / below;
}

TEST(Heatbath, DrawsFromItsDensity) {
  for (const double a : {0.0, 0.3, 0.999, 1.0, 2.5, 8.0, 40.0}) {
    constexpr int draws = 40000;
    double sums[4] = {};
    for (int i = 0; i < draws; ++i) {
      std::uint32_t used = 0;
      const double x =
          heatbath_component({7, static_cast<std::uint64_t>(i), 0, 0}, Exact(a), used).v;
      ASSERT_LE(std::abs(x), 1);
      double power = 1;
      for (double& sum : sums)
        sum += power *= x;
    }
    for (int p = 1; p <= 4; ++p) {
      const double mean = moment(a, p);
      const double error = std::sqrt((moment(a, 2 * p) - mean * mean) / draws);
      EXPECT_NEAR(sums[p - 1] / draws, mean, 4.5 * error) << "a " << a << ", power " << p;
    }
  }
}

ExactLink exact(const lattice::ColourMatrix<double>& u) {
  ExactLink v;
  for (int c = 0; c < 9; ++c)
    component(v, c) = lattice::rounded(component(u, c));
  return v;
}

double action(const ExactLink& u, const ExactLink& staples) {
  const ExactLink product = u * staples;
  return product(0, 0).re.v + product(1, 1).re.v + product(2, 2).re.v;
}

TEST(Overrelaxation, KeepsTheActionAndComesBack) {
  const ExactLink u = exact(random_su3(1, 2));
  const ExactLink staples = exact(random_su3(3, 4)) + exact(random_su3(5, 6));
  ExactLink moved = u;
  update_link<true>(moved, staples, 0, {0, 0, 0, 0});
  EXPECT_NEAR(action(moved, staples), action(u, staples), 1e-14);
  double distance = 0;
  for (int c = 0; c < 9; ++c)
    distance += std::abs(component(moved, c).re.v - component(u, c).re.v);
  EXPECT_GT(distance, 0.1);
}

TEST(Heatbath, OfStrongCouplingAlignsALinkWithItsStaples) {
  ExactLink u = exact(random_su3(1, 2));
  ExactLink staples = exact(random_su3(3, 4));
  for (std::uint32_t sweep = 0; sweep < 20; ++sweep)
    update_link<false>(u, staples, 1e6, {1, 5, sweep, 2});
  EXPECT_NEAR(action(u, staples), 3, 1e-4);
  const ExactLink before = u;
  staples = exact(lattice::ColourMatrix<double>{}); // none: nothing to do
  update_link<false>(u, staples, 6, {1, 5, 30, 2});
  for (int c = 0; c < 9; ++c)
    EXPECT_NEAR(component(u, c).re.v, component(before, c).re.v, 1e-15);
}

TEST(Heatbath, LeavesLinksInSu3) {
  ExactLink u = exact(random_su3(9, 1));
  const ExactLink staples = exact(random_su3(3, 4)) + exact(random_su3(5, 6));
  for (std::uint32_t sweep = 0; sweep < 1000; ++sweep)
    update_link<false>(u, staples, 4, {1, 5, sweep, 2});
  lattice::ColourMatrix<double> plain;
  for (int c = 0; c < 9; ++c)
    component(plain, c) = {component(u, c).re.v, component(u, c).im.v};
  EXPECT_LT(distance_from_su3(plain), 1e-14);
}

} // namespace
} // namespace ridge::gauge
