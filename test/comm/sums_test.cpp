// Sums over ranks: the bits of one rank, on every device.
#include <ridge/comm/field.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/lattice/over_ranks.hpp>
#include <ridge/lattice/reduce.hpp>

#include "on_device.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace ridge::comm {

namespace {

constexpr Index3 points{56, 24, 32};

/// Numbers of very different magnitudes, which cancel: any other order of additions shows.
template <class T>
std::vector<T> numbers(std::uint64_t seed) {
  std::vector<T> values;
  for (Index i = 0; i < points.x * points.y * points.z; ++i) {
    const double size = std::ldexp(1.0, static_cast<int>(20 * random_value(seed + 5, i)));
    values.push_back(static_cast<T>(size * random_value(seed, i)));
  }
  return values;
}

template <class T>
void set_owned(Queue& queue, const RankField<T>& field, const std::vector<T>& values) {
  const Box& held = field.held();
  std::vector<T> mine;
  for (Index z = held.begin.z; z < held.end.z; ++z)
    for (Index y = held.begin.y; y < held.end.y; ++y)
      for (Index x = held.begin.x; x < held.end.x; ++x) {
        const Box& o = field.owned();
        const bool owned = x >= o.begin.x && x < o.end.x && y >= o.begin.y && y < o.end.y &&
                           z >= o.begin.z && z < o.end.z;
        // Halos must not count.
        mine.push_back(owned ? values[static_cast<std::size_t>(x + points.x * (y + points.y * z))]
                             : std::nan(""));
      }
  field.copy_from_host(queue, mine.data());
  queue.wait();
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof(double)) == 0;
}

template <class T>
void compare(const std::string& device) {
  Communicator& ranks = world();
  Queue queue{Device(device)};
  const auto a = numbers<T>(1);
  const auto b = numbers<T>(2);
  // What the lattice pattern makes of it on one rank.
  const lattice::Lattice all({points.x, points.y, points.z});
  lattice::Field<T> x(queue.device(), all, "x");
  lattice::Field<T> y(queue.device(), all, "y");
  x.set(queue, a);
  y.set(queue, b);
  const lattice::ReduceOptions reproducible{{}, true};
  const double sum = lattice::sum(queue, x, reproducible);
  const double norm2 = lattice::norm2(queue, x, reproducible);
  const double inner = lattice::inner_product(queue, x, y, reproducible);
  double plain = 0;
  for (const T value : a)
    plain += static_cast<double>(value);
  EXPECT_NEAR(sum, plain, 1e-6 * norm2);

  const Reach reach({{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  for (const Index3& shape :
       {Index3{ranks.ranks(), 1, 1}, Index3{1, ranks.ranks(), 1}, Index3{1, 1, ranks.ranks()}}) {
    const Grid grid(points, shape, reach);
    const RankField<T> u(queue.device(), grid, ranks.rank());
    const RankField<T> v(queue.device(), grid, ranks.rank());
    set_owned(queue, u, a);
    set_owned(queue, v, b);
    const View<const T> mine(u.owned_view());
    EXPECT_TRUE(same_bits(lattice::sum(ranks, queue, mine), sum)) << to_text(shape);
    EXPECT_TRUE(same_bits(lattice::norm2(ranks, queue, mine), norm2)) << to_text(shape);
    EXPECT_TRUE(
        same_bits(lattice::inner_product(ranks, queue, mine, View<const T>(v.owned_view())), inner))
        << to_text(shape);
  }
}

class Sums : public test::OnDevice {};

TEST_P(Sums, OfDoublesAreThoseOfOneRank) {
  compare<double>(GetParam());
}
TEST_P(Sums, OfFloatsAreThoseOfOneRank) {
  compare<float>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Devices, Sums, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

TEST(SumsOverRanks, RefuseBoxesThatDiffer) {
  Queue queue{Device("cpu")};
  double value = 1;
  const View<const double> one(View<double>(&value, {1, 1, 1}));
  const View<const double> none(View<double>(&value, {1, 1, 0}));
  EXPECT_THROW((void)lattice::inner_product(world(), queue, one, none), UsageError);
  EXPECT_EQ(lattice::sum(world(), queue, none), 0);
  EXPECT_EQ(lattice::sum(world(), queue, one), world().ranks());
}

} // namespace

} // namespace ridge::comm
