// Adjoints of interactions against central differences, and the calls that they are launched by.
#include <ridge/gradient/pairs_call.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>

#include <gtest/gtest.h>

#include <array>

namespace ridge::gradient {
namespace {

using pairs::Coulomb;
using V = Pack<double, 1, abi::Array>;
using Body = std::array<V, OfBodies<Coulomb>::sources>;

Body body(double first) {
  Body made;
  for (std::size_t c = 0; c < made.size(); ++c)
    made[c] = V(first + 0.1 * static_cast<double>(c) - 0.03 * static_cast<double>(c * c) * first);
  return made;
}

/// The weighted sums of `target`, of which `weights` are behind its components.
double weighted(const Coulomb& coulomb, const V* target, const V* source, const V* weights) {
  V sum[Coulomb::sums];
  for (V& s : sum)
    s = V(0);
  coulomb(target, source, sum);
  double total = 0;
  for (int c = 0; c < Coulomb::sums; ++c)
    total += (sum[c] * weights[c])[0];
  return total;
}

template <class Loss>
double difference(Body b, int component, const Loss& loss) {
  double found = 0;
  const V at = b[static_cast<std::size_t>(component)];
  for (const double step : {1e-5, -1e-5}) {
    b[static_cast<std::size_t>(component)] = at + V(step);
    found += loss(b.data()) / (2 * step);
  }
  return found;
}

TEST(PairsAdjoints, EqualDifferences) {
  const Coulomb coulomb{0.1};
  const Body a = body(0.3), b = body(0.7);
  constexpr int n = Coulomb::sources;
  V of_bodies[n], of_target[Coulomb::targets], of_source[n];
  for (int c = 0; c < n; ++c)
    of_bodies[c] = of_source[c] = V(0);
  for (V& one : of_target)
    one = V(0);
  OfBodies<Coulomb>{coulomb}(a.data(), b.data(), of_bodies);
  // Targets have weights behind three components, sources four components of their own.
  Body target = a;
  for (int c = 0; c < Coulomb::sums; ++c)
    target[static_cast<std::size_t>(Coulomb::targets + c)] = a[static_cast<std::size_t>(n + c)];
  OfTargets<Coulomb>{coulomb}(target.data(), b.data(), of_target);
  OfSources<Coulomb>{coulomb}(b.data(), target.data(), of_source);
  for (int c = 0; c < n; ++c) {
    const auto gets = [&](const V* x) { return weighted(coulomb, x, b.data(), a.data() + n); };
    const auto gives = [&](const V* x) { return weighted(coulomb, b.data(), x, b.data() + n); };
    const auto as_source = [&](const V* x) { return weighted(coulomb, a.data(), x, a.data() + n); };
    EXPECT_NEAR(of_bodies[c][0], difference(a, c, gets) + difference(a, c, gives), 1e-8);
    EXPECT_NEAR(of_source[c][0], difference(b, c, as_source), 1e-8);
    if (c < Coulomb::targets) {
      EXPECT_NEAR(of_target[c][0], difference(a, c, gets), 1e-8);
    }
  }
}

TEST(PairsAdjoints, AreCallsOnTheBodiesWithWeights) {
  double numbers[12][5] = {};
  const auto rows = [&]<int N>(std::integral_constant<int, N>, int first) {
    Rows<double, N> made;
    for (int c = 0; c < N; ++c)
      made[static_cast<std::size_t>(c)] = {numbers[first + c], 5};
    return made;
  };
  const std::integral_constant<int, 4> four;
  const auto bodies = rows(four, 0), cotangent = rows(four, 4), gradients = rows(four, 8);
  Rows<const double, 4> given, weights;
  for (std::size_t c = 0; c < 4; ++c)
    given[c] = bodies[c], weights[c] = cotangent[c];
  const auto forward =
      pairs::among_themselves<Coulomb, pairs::Fp64>(Coulomb{0.25}, given, rows(four, 4));
  const auto call = adjoint(forward, weights, gradients);
  EXPECT_TRUE(call.skip_self);
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_EQ(call.sources[c].data, numbers[c]);
    EXPECT_EQ(call.targets[c].data, numbers[c]);
  }
  EXPECT_EQ(call.sums[3].data, numbers[11]);
  auto apart = forward;
  apart.skip_self = false;
  EXPECT_THROW((void)adjoint(apart, weights, gradients), UsageError);
  EXPECT_EQ(adjoint_by_sources(apart, weights, gradients).sources[3].data, numbers[4]);
}

} // namespace
} // namespace ridge::gradient
