// Compiled once per device kind.
#include <ridge/core/pack.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/over_ranks.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#include <ridge/lattice/gpu/finish.hpp>
#endif

#include <algorithm>

namespace ridge::lattice {

namespace {

#if defined(RIDGE_TARGET_CPU)

constexpr int width = 8; // doubles at once, whatever the registers

Pack<double, width> load(const double* from) {
  return Pack<double, width>::load(from);
}
Pack<double, width> load(const float* from) {
  return widen(Pack<float, width>::load(from));
}

/// Adds the rows [begin, end) of a box.
template <class T>
BinnedSum<double> add_rows(const BoxSum<T>& s, cpu::Range rows) {
  BinnedSum<Pack<double, width>> wide;
  BinnedSum<double> rest;
  wide.clear();
  rest.clear();
  const Index3 n = s.x.extents;
  int added = 0;
  for (Index row = rows.begin; row < rows.end; ++row) {
    const Index y = row % n.y;
    const Index z = row / n.y;
    const T* const a = s.x.data + s.x.at(0, y, z);
    const T* const b = s.product ? s.y.data + s.y.at(0, y, z) : a;
    Index i = 0;
    for (; i + width <= n.x; i += width) {
      if (s.product) {
        wide.add_product(load(a + i), load(b + i));
      } else {
        wide.add(load(a + i));
      }
      if (++added == BinnedSum<double>::period) {
        wide.settle();
        added = 0;
      }
    }
    for (; i < n.x; ++i) { // fewer than a pack: a row adds less than a period
      if (s.product) {
        rest.add_product(static_cast<double>(a[i]), static_cast<double>(b[i]));
      } else {
        rest.add(static_cast<double>(a[i]));
      }
    }
    rest.settle();
  }
  for (int i = 0; i < width; ++i)
    rest.merge(wide.lane(i));
  return rest;
}

template <class T>
void sum_box(Queue& /*queue*/, const BoxSum<T>& s) {
  const Index rows = s.x.extents.y * s.x.extents.z;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (int part = thread; part < s.parts; part += threads) {
      const BinnedSum<double> mine = add_rows(s, cpu::share_of(rows, part, s.parts));
      std::copy(mine.w, mine.w + s.words, s.result.data + Index{part} * s.words);
    }
  });
}

#else

/// Threads walk over the points; a block leaves one accumulator.
template <class T>
struct SumBox {
  static constexpr int max_threads = 128;
  static constexpr const char* name = "sum of a box";

  BoxSum<T> s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index3 n = s.x.extents;
    const Index points = n.x * n.y * n.z;
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    BinnedSum<double> mine;
    mine.clear();
    int added = 0;
    for (Index i = Index{lane.block().x} * max_threads + lane.thread().x; i < points; i += stride) {
      const Index row = i / n.x;
      const Index x = i - row * n.x;
      const Index z = row / n.y;
      const Index y = row - z * n.y;
      const double a = static_cast<double>(lane.load(s.x.elements(), s.x.at(x, y, z)));
      if (s.product) {
        mine.add_product(a, static_cast<double>(lane.load(s.y.elements(), s.y.at(x, y, z))));
      } else {
        mine.add(a);
      }
      if (++added == BinnedSum<double>::period) {
        mine.settle();
        added = 0;
      }
    }
    const auto all = gpu::merge_block(lane, mine);
    if (lane.thread().x == 0) gpu::store_partial(lane, s.result, lane.block().x, all);
  }
};

template <class T>
void sum_box(Queue& queue, const BoxSum<T>& s) {
  constexpr int threads = SumBox<T>::max_threads;
  const int shared = threads * static_cast<int>(sizeof(BinnedSum<double>));
  launch_body(queue, {{s.parts, 1, 1}, {threads, 1, 1}, shared}, SumBox<T>{s});
}

#endif

const Offer floats(kind_of<Here>, typeid(BoxSummer<float>*), &sum_box<float>);
const Offer doubles(kind_of<Here>, typeid(BoxSummer<double>*), &sum_box<double>);

} // namespace

} // namespace ridge::lattice
