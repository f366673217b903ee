#include <ridge/chain/rank_case.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace ridge::chain {

namespace {

/// Calls `row(y, z, first)` for each row of a box in pieces of all threads: its values begin there.
template <class F>
void each_row(const comm::Box& box, const F& row) {
  const Index3 n = box.extents();
  cpu::run(n.x * n.y * n.z < 16384 ? 1 : cpu::default_threads(), [&](int thread, int team) {
    const cpu::Range mine = cpu::share_of(n.y * n.z, thread, team);
    for (Index r = mine.begin; r < mine.end; ++r)
      row(box.begin.y + r % n.y, box.begin.z + r / n.y, static_cast<std::size_t>(r * n.x));
  });
}

/// The values of a row of a whole array, which goes round, from x on.
class RowNumbers {
public:
  RowNumbers(std::uint64_t seed, Index3 whole, Index x, Index y, Index z)
      : seed_(seed), extent_(whole.x), x_(in(x, whole.x)),
        begin_(whole.x * (in(y, whole.y) + whole.y * in(z, whole.z))) {}

  double next() {
    const double value = random_value(seed_, begin_ + x_);
    if (++x_ == extent_) x_ = 0;
    return value;
  }

private:
  static Index in(Index i, Index n) { return (i % n + n) % n; }

  std::uint64_t seed_;
  Index extent_, x_, begin_;
};

} // namespace

template <class T>
std::vector<T> RankNumbers<T>::make(const comm::Box& set) const {
  const Index3 n = held_.extents();
  std::vector<T> all(static_cast<std::size_t>(n.x * n.y * n.z),
                     std::numeric_limits<T>::quiet_NaN());
  each_row(held_, [&](Index y, Index z, std::size_t first) {
    if (y < set.begin.y || y >= set.end.y || z < set.begin.z || z >= set.end.z) return;
    const Index begin = std::max(set.begin.x, held_.begin.x);
    RowNumbers numbers(seed_, whole_, begin, y, z);
    for (Index x = begin; x < std::min(set.end.x, held_.end.x); ++x)
      all[first + static_cast<std::size_t>(x - held_.begin.x)] = static_cast<T>(numbers.next());
  });
  return all;
}

template <class T>
std::string RankNumbers<T>::difference(const std::vector<T>& found) const {
  const Index width = held_.extents().x;
  std::atomic<Index> least{static_cast<Index>(found.size())};
  each_row(held_, [&](Index y, Index z, std::size_t first) {
    RowNumbers numbers(seed_, whole_, held_.begin.x, y, z);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(width); ++i) {
      if (found[i] == static_cast<T>(numbers.next())) continue;
      Index before = least;
      while (static_cast<Index>(i) < before &&
             !least.compare_exchange_weak(before, static_cast<Index>(i))) {
      }
      return;
    }
  });
  if (least == static_cast<Index>(found.size())) return {};
  const Index3 n = held_.extents();
  const Index row = least / n.x;
  return fmt::format("{}, {}, {}", held_.begin.x + least % n.x, held_.begin.y + row % n.y,
                     held_.begin.z + row / n.y);
}

template class RankNumbers<float>;
template class RankNumbers<double>;

void require_chain(const std::string& name, int dimensions, const Extents& size,
                   const std::string& precision) {
  if (precision != "fp64" && precision != "fp32") refuse_precision(precision, name);
  if (size.rank() <= dimensions) return;
  throw UsageError(fmt::format("{} has {} dimension{}, and --size {} has {}", name, dimensions,
                               dimensions == 1 ? "" : "s", to_text(size), size.rank()));
}

RankRange rank_range(const RankDivision& division, const BenchRequest& request) {
  const auto& [ranks, grid, scaling] = request.world;
  const Index3 n = request.size.xyz();
  const Index3 shape = grid.empty() ? choose_ranks(division, ranks->ranks(), n)
                                    : comm::parse_ranks(grid, ranks->ranks());
  return {division, n, shape, ranks->rank()};
}

World outer_ranks(const std::string& name, int inner, const BenchRequest& request) {
  const Extents& size = request.size;
  refuse_if(size.rank() <= inner,
            "{} over ranks divides its outer dimensions, and --size {} has "
            "none: give {} numbers or more",
            name, to_text(size), inner + 1);
  World world = request.world;
  if (world.grid.empty()) {
    for (int d = 0; d + 1 < size.rank(); ++d)
      world.grid += "1x";
    world.grid += std::to_string(world.ranks->ranks());
    return world;
  }
  const Extents asked = parse_extents(world.grid, "--ranks");
  for (int d = 0; d < inner; ++d) {
    refuse_if(asked[d] > 1,
              "--ranks {}: {} is divided along its outer dimensions, from number {} on", world.grid,
              name, inner + 1);
  }
  return world;
}

} // namespace ridge::chain
