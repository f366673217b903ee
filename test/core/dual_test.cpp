#include <ridge/core/pack_bounded.hpp>

#include "dual_checks.hpp"

namespace ridge {
namespace {

TEST(Duals, OfPacksAsArraysHaveTheDerivativesOfAllOperations) {
  DualChecks<Pack<double, 1, abi::Array>>().run();
  DualChecks<Pack<float, 4, abi::Array>>().run();
}

TEST(Duals, CarryBoundsOfRounding) {
  using Bounded = BoundedPack<float>;
  const DualOf<Bounded> x(Bounded(0.3, 0), Bounded(1));
  const auto y = x * x * x - 0.1 * x;
  EXPECT_NEAR(y.derivative[0], 3 * 0.09 - 0.1, 1e-12);
  EXPECT_GT(y.derivative.bound, 1e-8);
  EXPECT_LT(y.derivative.bound, 1e-5);
}

TEST(Duals, LeaveOutWhatNothingSeededChanges) {
  using V = Pack<double, 1, abi::Array>;
  // A product with a derivative of zero would be NaN.
  const DualOf<V> unknown{V(std::numeric_limits<double>::quiet_NaN())};
  const DualOf<V> seeded(V(2), V(1));
  EXPECT_EQ((unknown + 3 * seeded - unknown).derivative[0], 3);
  EXPECT_FALSE((unknown * unknown).active);
}

} // namespace
} // namespace ridge
