// Marches with windows of registers make the bits that one point a thread makes, and leave all
// others alone.
#include "devices.hpp"
#include "stencil_case.hpp"
#include "window_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace ridge::stencil {
namespace {

class Windows : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (!device.is_gpu() && device.kind() != DeviceKind::simt) GTEST_SKIP() << "for GPUs";
  }
  Device device{GetParam()};
};

std::vector<GpuSchedule> windows() {
  GpuSchedule s;
  s.stage = Stage::window;
  s.block = BlockShape{{32, 2, 1}};
  s.tile = 2;
  std::vector<GpuSchedule> all;
  for (const int chunks : {1, 2, 3}) {
    for (const int drift : {0, 2}) {
      s.chunks = chunks;
      s.drift = drift;
      all.push_back(s);
    }
  }
  return all;
}

/// Extents and fields of all alignments, in rows that follow each other or are padded, and both
/// that no results are at the ends of tiles and that many are.
template <class K, class T>
void expect_the_same_bits(const Device& device, const K& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr Offset r = radius_of<K>();
  const auto between = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  const auto along = [&](int radius, Index most) {
    return radius == 0 ? Index{1} : between(2 * radius + 1, most);
  };
  const auto all = windows();
  for (int i = 0; i < 6; ++i) {
    const Index3 n{between(2 * r.x + 1, 300), along(r.y, 22), along(r.z, 24)};
    constexpr Index pack = 16 / static_cast<Index>(sizeof(T));
    const Index pitches[] = {n.x, (n.x + pack - 1) / pack * pack, (n.x + 63) / 32 * 32};
    const Index misfit = i % 2 == 0 ? 0 : between(0, 128 / static_cast<Index>(sizeof(T)) - 1);
    Case<test::Windowed<K>, T> c(device, test::Windowed<K>(kernel), n, pitches[i % 3], 0, misfit);
    const std::vector<T> bits = c.under(GpuSchedule{});
    const GpuSchedule& s = all[static_cast<std::size_t>(between(0, 5))];
    const std::string what = std::to_string(n.x) + " behind " + std::to_string(misfit) + " of " +
                             std::to_string(pitches[i % 3]) + "x" + std::to_string(n.y) + "x" +
                             std::to_string(n.z) + " " + to_text(s);
    ASSERT_EQ(c.wrong_under(s), "") << what;
    const std::vector<T> got = c.under(s);
    ASSERT_EQ(std::memcmp(got.data(), bits.data(), bits.size() * sizeof(T)), 0) << what;
  }
}

template <int Order, int Rank, class T>
void expect_order(const Device& device) {
  using K = Laplacian<Order, Rank>;
  expect_the_same_bits<K, T>(device, K({0.5, 0.75, 1.25}), 10 * Order + Rank);
}

TEST_P(Windows, MakeTheBitsOfSinglePointsAtEveryOrder) {
  expect_order<2, 3, float>(device);
  expect_order<4, 3, float>(device);
  expect_order<6, 3, double>(device);
  expect_order<8, 3, float>(device);
  expect_order<8, 3, double>(device);
}

TEST_P(Windows, MakeTheBitsOfSinglePointsInFewerDimensions) {
  expect_order<2, 1, float>(device);
  expect_order<4, 2, double>(device);
}

TEST_P(Windows, ReadWhatLiesBesideAboveAndBelow) {
  expect_the_same_bits<Box27, float>(device, Box27(0.5), 1);
  expect_the_same_bits<Box27, double>(device, Box27(0.5), 2);
  expect_the_same_bits<test::Lopsided, float>(device, test::Lopsided{0.1}, 3);
}

TEST_P(Windows, ReadSeveralInputs) {
  expect_the_same_bits<test::Advection, double>(device, {}, 4);
  expect_the_same_bits<test::Pulse, double>(device, {}, 5);
}

TEST_P(Windows, AreAskedForInWholeWarps) {
  GpuSchedule s = windows()[0];
  s.block = BlockShape{{32, 1, 1}};
  EXPECT_NE(GpuSchedule::problem(s), "");
  s.block = BlockShape{{32, 32, 1}};
  EXPECT_EQ(GpuSchedule::problem(s), "");
  s.ring = 8;
  EXPECT_EQ(GpuSchedule::problem(s), "ring is for stage=bulk and stage=tiles");
}

INSTANTIATE_TEST_SUITE_P(Here, Windows, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::stencil
