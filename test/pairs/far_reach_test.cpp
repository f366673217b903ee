// Errors of a sample, and theta that holds one.
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pairs/far/reach.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace ridge::pairs {
namespace {

/// Charges at random in a cube, on a device, with memory for their fields and potentials.
struct RandomCharges {
  Queue queue;
  HostBodies<4> host;
  std::array<Field<double>, 4> bodies, sums;
  std::vector<Index> all;

  RandomCharges(const std::string& device, Index count) : queue(Device(device)) {
    for (std::size_t c = 0; c < 4; ++c) {
      for (Index i = 0; i < count; ++i)
        host[c].push_back(random_value(c + 30, i));
      bodies[c] = Field<double>(queue.device(), Extents{count});
      sums[c] = Field<double>(queue.device(), Extents{count});
      copy_to_device(queue, bodies[c].data(), host[c].data(), count);
      fill_bytes(queue, sums[c].data(), 0xff, Bytes{count * 8});
    }
    queue.wait();
    for (Index i = 0; i < count; ++i)
      all.push_back(i);
  }
  [[nodiscard]] Call<Coulomb, Fp64> call() const {
    std::array<Span<const double>, 4> sources;
    std::array<Span<double>, 4> to;
    for (std::size_t c = 0; c < 4; ++c) {
      sources[c] = std::as_const(bodies[c]).elements();
      to[c] = Span<double>(const_cast<double*>(sums[c].data()), sums[c].count());
    }
    return among_themselves<Coulomb, Fp64>({}, sources, to);
  }
  FarOptions reach(double asked, const FarOptions& first) {
    return reach_far_error(queue, call(), host, all, asked, first,
                           default_far_schedule(queue.device()));
  }
  double error() { return far_error(queue, call(), host, all); }
};

TEST(FarReach, TellsTheErrorOfAVectorAndOfOtherSums) {
  RandomCharges charges("cpu", 40);
  std::array<std::vector<double>, 4> right;
  std::array<double, 4> squares{};
  for (Index i = 0; i < 40; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto sums = reference_sums(
        Coulomb{}, std::array{charges.host[0][at], charges.host[1][at], charges.host[2][at]},
        charges.host, i);
    for (std::size_t c = 0; c < 4; ++c) {
      right[c].push_back(sums.sum[c]);
      squares[c] += sums.sum[c] * sums.sum[c];
    }
  }
  const auto give = [&](std::size_t c, const std::vector<double>& values) {
    copy_to_device(charges.queue, charges.sums[c].data(), values.data(), 40);
    charges.queue.wait();
  };
  for (std::size_t c = 0; c < 4; ++c)
    give(c, right[c]);
  EXPECT_EQ(charges.error(), 0);
  std::vector<double> off = right[3];
  off[7] += 0.25;
  give(3, off); // the potential
  EXPECT_NEAR(charges.error(), 0.25 / std::sqrt(squares[3]), 1e-12);
  give(3, right[3]);
  off = right[1];
  off[9] -= 0.5;
  give(1, off); // one component of the field, over all three
  EXPECT_NEAR(charges.error(), 0.5 / std::sqrt(squares[0] + squares[1] + squares[2]), 1e-12);
  off[9] = std::numeric_limits<double>::quiet_NaN();
  give(1, off);
  EXPECT_EQ(charges.error(), std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < 4; ++c)
    give(c, std::vector<double>(40, 0));
  EXPECT_NEAR(charges.error(), 1, 1e-12) << "sums of nothing are off by all there is";
}

class FarReachOn : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Here, FarReachOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST_P(FarReachOn, MakesThetaSmallerOrLargerUntilTheErrorIsHeld) {
  RandomCharges charges(GetParam(), 400);
  const FarOptions wide{0.9, 1, 16};
  const FarOptions held = charges.reach(2e-4, wide);
  EXPECT_LT(held.theta, 0.9);
  EXPECT_GT(held.theta, 0);
  EXPECT_LE(charges.error(), 2e-4); // the sums are those of the last trial
  const FarOptions grown = charges.reach(1e-2, {0.1, 1, 16});
  EXPECT_GT(grown.theta, 0.1);
  EXPECT_LE(charges.error(), 1e-2);
}

} // namespace
} // namespace ridge::pairs
