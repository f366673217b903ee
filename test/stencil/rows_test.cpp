// Points in packs, and marches over rows that begin anywhere, make the bits that one point a thread
// makes, and leave all others alone.
#include "devices.hpp"
#include "rows_kernels.hpp"
#include "stencil_case.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace ridge::stencil {
namespace {

class InRows : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (!device.is_gpu() && device.kind() != DeviceKind::simt) GTEST_SKIP() << "for GPUs";
  }
  Device device{GetParam()};
};

/// Marches over joined rows where the kernel reads planes.
std::vector<GpuSchedule> joined_marches(const Traits& traits) {
  std::vector<GpuSchedule> all;
  if (traits.radius.z == 0) return all;
  GpuSchedule s;
  s.stage = Stage::bulk;
  s.loads = Loads::packs;
  for (const int chunks : {1, 3}) {
    for (const int more : {2, 3}) {
      s.chunks = chunks;
      s.ring = 2 * traits.radius.z + more;
      s.block = BlockShape{{32, 2, 1}};
      s.tile = 2;
      all.push_back(s);
      s.block = BlockShape{{64, 1, 1}};
      s.tile = 4;
      all.push_back(s);
    }
  }
  return all;
}

std::vector<GpuSchedule> tiles_of_packs() {
  std::vector<GpuSchedule> all;
  GpuSchedule s;
  s.loads = Loads::packs;
  for (const int tile : {1, 4}) {
    for (const int split : {1, 3}) {
      s.tile = tile;
      s.split = split;
      s.block = BlockShape{{32, 2, 1}};
      all.push_back(s);
    }
  }
  return all;
}

#if defined(RIDGE_SANITIZED)
constexpr Index longest = 150; ///< rows, in points: several tiles and a part of one
constexpr int cases_of_parts = 4;
#else
constexpr Index longest = 300;
constexpr int cases_of_parts = 9;
#endif

/// Extents and fields of all alignments, in rows that follow each other or are padded. The output
/// of a march may begin anywhere.
template <class K, class T>
void expect_bits_of_rows(const Device& device, const K& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr Offset r = radius_of<K>();
  constexpr Index pack = 16 / static_cast<Index>(sizeof(T));
  constexpr Index line = 128 / static_cast<Index>(sizeof(T));
  const auto between = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  const auto along = [&](int radius, Index most) {
    return radius == 0 ? between(1, 2) : between(2 * radius + 1, most);
  };
  const Traits traits = traits_of<K, T>();
  const auto expect = [&](Case<test::InPacks<K>, T>& c, const GpuSchedule& s,
                          const std::string& fields) {
    const std::vector<T> bits = c.under(GpuSchedule{});
    const std::string what = fields + " " + to_text(s);
    ASSERT_EQ(c.wrong_under(s), "") << what;
    const std::vector<T> got = c.under(s);
    ASSERT_EQ(std::memcmp(got.data(), bits.data(), bits.size() * sizeof(T)), 0) << what;
  };
  const test::InPacks<K> called(kernel);
  const auto text = [](Index3 n, Index row, Index misfit) {
    return std::to_string(n.x) + " of " + std::to_string(row) + " x" + std::to_string(n.y) + "x" +
           std::to_string(n.z) + " behind " + std::to_string(misfit);
  };
  const auto march = joined_marches(traits);
  for (std::size_t i = 0; i < march.size(); ++i) {
    // Rows apart by any number that is no multiple of a pack, planes by any.
    const Index3 n{between(2 * r.x + 1, longest), along(r.y, 22), along(r.z, 24)};
    Index row = i % 2 == 0 ? n.x : n.x + between(0, 5);
    if (row % pack == 0) ++row;
    const Index plane = row * n.y + (i % 3 == 0 ? between(0, 3) : 0);
    const Index misfit = pack * between(0, line / pack - 1);
    const Index further = i % 2 == 0 ? 0 : between(0, pack - 1);
    Case<test::InPacks<K>, T> c(device, called, n, row, plane, misfit, further);
    expect(c, march[i], text(n, row, misfit));
    if (::testing::Test::HasFailure()) return;
  }
  const auto tiles = tiles_of_packs();
  for (std::size_t i = 0; i < 2 * tiles.size(); ++i) {
    // Rows of packs, of lines, and of neither, which are loaded by ascending address.
    const Index3 n{between(2 * r.x + 1, longest), along(r.y, 27), along(r.z, 11)};
    const Index rows[] = {(n.x + pack - 1) / pack * pack, (n.x + line - 1) / line * line, n.x};
    const Index row = rows[i % 3];
    const Index misfit = i % 2 == 0 ? 0 : between(0, line - 1);
    GpuSchedule s = tiles[i % tiles.size()];
    if (row % pack != 0) s.tile = 4;
    Case<test::InPacks<K>, T> c(device, called, n, row, 0, misfit);
    expect(c, s, text(n, row, misfit));
    if (::testing::Test::HasFailure()) return;
  }
}

/// Sums of planes' parts, in rows of all alignments: right to rounding.
template <class K, class T>
void expect_parts(const Device& device, const K& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr Offset r = radius_of<K>();
  constexpr Index pack = 16 / static_cast<Index>(sizeof(T));
  const auto between = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  for (int i = 0; i < cases_of_parts; ++i) {
    const Index3 n{between(2 * r.x + 1, longest), between(2 * r.y + 1, 22),
                   between(2 * r.z + 1, 24)};
    const Index rows[] = {n.x, (n.x + pack - 1) / pack * pack, (n.x + 63) / 32 * 32};
    GpuSchedule s;
    s.stage = Stage::bulk;
    s.loads = Loads::ascending;
    s.block = BlockShape{{32, 2, 1}};
    s.tile = 2;
    s.ring = static_cast<int>(between(2, 5));
    s.chunks = static_cast<int>(between(1, 3));
    Case<test::InPacks<K>, T> c(device, test::InPacks<K>(kernel), n, rows[i % 3]);
    ASSERT_EQ(c.wrong_under(s), "")
        << n.x << " of " << rows[i % 3] << " x" << n.y << "x" << n.z << " " << to_text(s);
  }
}

TEST_P(InRows, AddUpPartsOfPlanes) {
  expect_parts<Laplacian<2, 3>, float>(device, Laplacian<2, 3>({0.5, 0.75, 1.25}), 1);
  expect_parts<Laplacian<4, 3>, double>(device, Laplacian<4, 3>({0.5, 0.75, 1.25}), 2);
  expect_parts<Laplacian<8, 3>, float>(device, Laplacian<8, 3>({0.5, 0.75, 1.25}), 3);
  expect_parts<Box27, float>(device, Box27(0.5), 4);
  expect_parts<Box27, double>(device, Box27(0.5), 5);
  expect_parts<test::Uneven, double>(device, {}, 6);
}

template <int Order, int Rank, class T>
void expect_rows_of_order(const Device& device) {
  using K = Laplacian<Order, Rank>;
  expect_bits_of_rows<K, T>(device, K({0.5, 0.75, 1.25}), 10 * Order + Rank);
}

TEST_P(InRows, MakeTheBitsOfSinglePointsAtEveryOrder) {
  expect_rows_of_order<2, 3, float>(device);
  expect_rows_of_order<2, 3, double>(device);
  expect_rows_of_order<4, 3, double>(device);
  expect_rows_of_order<8, 3, float>(device);
}

TEST_P(InRows, MakeTheBitsOfSinglePointsInFewerDimensions) {
  expect_rows_of_order<2, 2, float>(device);
  expect_rows_of_order<2, 2, double>(device);
  expect_rows_of_order<8, 2, float>(device);
  expect_rows_of_order<8, 2, double>(device);
  expect_rows_of_order<8, 1, float>(device);
}

TEST_P(InRows, ReadWhatLiesBesideAboveAndBelow) {
  expect_bits_of_rows<Box27, float>(device, Box27(0.5), 1);
  expect_bits_of_rows<Box27, double>(device, Box27(0.5), 2);
  expect_bits_of_rows<test::Lopsided, float>(device, test::Lopsided{0.1}, 3);
}

TEST_P(InRows, ReadSeveralInputs) {
  expect_bits_of_rows<test::Advection, float>(device, {}, 4);
}

INSTANTIATE_TEST_SUITE_P(Here, InRows, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::stencil
