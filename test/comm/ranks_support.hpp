// What tests over ranks share: fields on the host, grids of ranks, delays.
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace ridge::comm::test {

/// The whole field on the host: random numbers, other ones for each input.
template <class T>
std::vector<T> whole(Index3 n, int input) {
  std::vector<T> values(static_cast<std::size_t>(n.x * n.y * n.z));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(
        random_value(static_cast<std::uint64_t>(input) + 7, static_cast<std::int64_t>(i)));
  return values;
}

/// Index into a field of n points that goes round.
inline std::size_t wrapped(Index3 n, Index x, Index y, Index z) {
  const auto in = [](Index i, Index size) { return (i % size + size) % size; };
  return static_cast<std::size_t>(in(x, n.x) + n.x * (in(y, n.y) + n.y * in(z, n.z)));
}

template <class F>
void for_each_point(const Box& box, const F& f) {
  for (Index z = box.begin.z; z < box.end.z; ++z)
    for (Index y = box.begin.y; y < box.end.y; ++y)
      for (Index x = box.begin.x; x < box.end.x; ++x)
        f(x, y, z);
}

/// Sleeps up to a few milliseconds, each rank another time.
inline void be_late(int rank, int step) {
  std::minstd_rand random(static_cast<unsigned>(rank * 97 + step * 31 + 1));
  random.discard(5);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
}

/// All grids of so many ranks for which `fits` does not throw.
template <class Fits>
std::vector<Index3> grids(int ranks, const Fits& fits) {
  std::vector<Index3> all;
  for (Index x = 1; x <= ranks; ++x) {
    for (Index y = 1; y <= ranks; ++y) {
      if (ranks % (x * y) != 0) continue;
      const Index3 shape{x, y, ranks / (x * y)};
      try {
        fits(shape);
        all.push_back(shape);
      } catch (const UsageError&) { // too few points for it
      }
    }
  }
  return all;
}

inline std::vector<Index3> grids(int ranks, Index3 n, const Reach& reach) {
  return grids(ranks, [&](const Index3& shape) { (void)Grid(n, shape, reach); });
}

} // namespace ridge::comm::test
