// Marches of kernels whose inputs are read unequally far equal the reference, and what defaults and
// the model take for a plane of theirs is what the compiled march takes.
#include <ridge/stencil/march_limits.hpp>

#include "devices.hpp"
#include "stencil_case.hpp"
#include "unequal_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace ridge::stencil {
namespace {

class UnequalInputs : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (!device.is_gpu() && device.kind() != DeviceKind::simt) GTEST_SKIP() << "for GPUs";
  }
  Device device{GetParam()};
};

template <class K, class T>
void expect_marches(const Device& device, const K& kernel, std::uint64_t seed) {
  using Called = test::Unequal<K>;
  std::mt19937_64 random(seed);
  constexpr Offset r = radius_of<K>();
  constexpr Index pack = 16 / static_cast<Index>(sizeof(T));
  constexpr Index line = 128 / static_cast<Index>(sizeof(T));
  const auto between = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  const auto up = [](Index n, Index to) { return (n + to - 1) / to * to; };
  for (int i = 0; i < 8; ++i) {
    // A tile is 32 lanes wide: rows of one, of several, and of a part of one.
    const Index3 n{i == 0 ? Index{2 * r.x + 1} : between(2 * r.x + 1, 34 * pack),
                   between(2 * r.y + 1, 14), between(2 * r.z + 1, 15)};
    const Index rows[] = {up(n.x, line), up(n.x, pack), n.x, n.x + between(1, pack)};
    const Index row = rows[i % 4];
    const Index misfit = i % 3 == 0 ? 0 : pack * between(0, line / pack - 1);
    Case<Called, T> c(device, Called{kernel}, n, row, i % 5 == 4 ? row * n.y + row : 0, misfit);
    GpuSchedule s;
    s.stage = Stage::bulk;
    s.block = BlockShape{{32, 2, 1}};
    s.tile = 2;
    s.chunks = static_cast<int>(between(1, 3));
    const bool joined = row % pack != 0 && i % 4 > 1 && i > 3;
    s.loads = joined ? Loads::packs : takes_parts<K> ? Loads::ascending : Loads::stencil;
    s.ring = static_cast<int>(std::max<Index>(planes_held(traits_of<K, T>(), s.loads), 0) +
                              between(2, 4));
    // Sums of parts are not compiled for joined rows here, nor others for the rest.
    const std::string what = std::to_string(n.x) + " of " + std::to_string(row) + " x" +
                             std::to_string(n.y) + "x" + std::to_string(n.z) + " behind " +
                             std::to_string(misfit) + " " + to_text(Schedule(s));
    ASSERT_TRUE(c.is_ahead(s)) << what;
    ASSERT_EQ(c.wrong_under(s), "") << what;
    const std::vector<T> got = c.under(s);
    const auto expect_bits = [&](const std::vector<T>& bits) {
      ASSERT_EQ(std::memcmp(got.data(), bits.data(), bits.size() * sizeof(T)), 0) << what;
    };
    if (s.loads != Loads::ascending) expect_bits(c.under(GpuSchedule{})); // else in another order
    if (joined) continue;
    s.stage = Stage::tiles; // rows that begin anywhere are copied one by one there, too
    ASSERT_TRUE(c.is_ahead(s)) << what;
    ASSERT_EQ(c.wrong_under(s), "") << what;
    expect_bits(c.under(s));
  }
}

TEST_P(UnequalInputs, GoPastTheRingAtTheirPoint) {
  expect_marches<test::Medium, float>(device, {}, 1);
  expect_marches<test::Medium, double>(device, {}, 2);
}

TEST_P(UnequalInputs, TakeInTheRingWhatIsReadAroundThem) {
  expect_marches<test::Assorted, float>(device, {}, 3);
  expect_marches<test::Carrying, float>(device, {}, 4);
  expect_marches<test::Carrying, double>(device, {}, 5);
}

TEST_P(UnequalInputs, AddUpPartsOfPlanes) {
  expect_marches<test::Summed, float>(device, {}, 6);
}

/// One input whose planes come as tiles: kept from the point's own on, with the bits of a point a
/// thread, in fp32 by weights that are rounded once.
template <class T>
void expect_kept(const Device& device) {
  using Called = test::Unequal<Laplacian<8, 3>>;
  for (const Index3 n : {Index3{9, 9, 9}, Index3{140, 13, 12}}) {
    for (const int chunks : {1, 3}) {
      Case<Called, T> c(device, Called{Laplacian<8, 3>({0.5, 0.7, 0.3})}, n, (n.x + 3) / 4 * 4, 0,
                        0);
      GpuSchedule s;
      s.stage = Stage::tiles;
      s.block = BlockShape{{32, 2, 1}};
      s.tile = 2;
      s.chunks = chunks;
      s.ring = 6 + chunks;
      ASSERT_TRUE(c.is_ahead(s));
      ASSERT_EQ(c.wrong_under(s), "") << n.x;
      const std::vector<T> got = c.under(s), bits = c.under(GpuSchedule{});
      ASSERT_EQ(std::memcmp(got.data(), bits.data(), bits.size() * sizeof(T)), 0) << n.x;
    }
  }
}

TEST_P(UnequalInputs, OfWhichOneIsKeptInRegisters) {
  expect_kept<float>(device);
  expect_kept<double>(device);
}

INSTANTIATE_TEST_SUITE_P(Here, UnequalInputs, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::stencil
