// Compiled once per device kind.
#include <ridge/device/offer.hpp>

#include "sums.hpp"

#include <limits>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch_items.hpp>
#endif

namespace ridge::nbody {

namespace adding::inline RIDGE_TARGET_NAME {

/// Coordinates of some bodies.
template <class T>
struct Ends {
  T low, high;
  RIDGE_FN void take(T x) { // also NaN, which stays
    if (!(x >= low)) low = x;
    if (!(x <= high)) high = x;
  }
};

#if defined(RIDGE_TARGET_CPU)

/// Waking threads takes longer than moving a few bodies.
int threads_for(Index bodies) {
  constexpr Index few = 16384;
  return bodies < few ? 1 : cpu::default_threads();
}

template <class T>
void add_all(Queue& /*queue*/, const Addition<T>& a) {
  cpu::run(threads_for(a.to[0].size), [&](int thread, int threads) {
    const auto mine = cpu::share_of(a.to[0].size, thread, threads, 512);
    for (std::size_t c = 0; c < a.to.size(); ++c) {
      T* const to = a.to[c].data;
      const T* const from = a.from[c].data;
      const T sign = a.subtracts ? -1 : 1;
#pragma GCC ivdep
      for (Index i = mine.begin; i < mine.end; ++i)
        to[i] += sign * from[i];
    }
  });
}

template <class T>
void find_extent(Queue& /*queue*/, const Extent<T>& e) {
  const Index bodies = e.position[0].size;
  const auto parts = static_cast<int>(e.bounds.size / 6);
  cpu::run(threads_for(bodies), [&](int thread, int threads) {
    for (int part = thread; part < parts; part += threads) {
      const auto mine = cpu::share_of(bodies, part, parts);
      for (std::size_t c = 0; c < 3; ++c) {
        const T* const x = e.position[c].data;
        Ends<T> ends{std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
        for (Index i = mine.begin; i < mine.end; ++i)
          ends.take(x[i]);
        e.bounds.data[6 * part + static_cast<Index>(c)] = ends.low;
        e.bounds.data[6 * part + 3 + static_cast<Index>(c)] = ends.high;
      }
    }
  });
}

#else

/// A part: every so many bodies.
template <class T>
struct FindEnds {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "n-body extent";

  Extent<T> e;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index part = item_of<FindEnds>(lane);
    const Index parts = e.bounds.size / 6;
    if (part >= parts) return;
    constexpr T most = std::numeric_limits<T>::max();
    Ends<T> ends[3] = {{most, -most}, {most, -most}, {most, -most}};
    for (Index i = part; i < e.position[0].size; i += parts) {
      RIDGE_UNROLL
      for (int c = 0; c < 3; ++c)
        ends[c].take(lane.load(e.position[c], i));
    }
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c) {
      lane.store(e.bounds, 6 * part + c, ends[c].low);
      lane.store(e.bounds, 6 * part + 3 + c, ends[c].high);
    }
  }
};

template <class T>
void find_extent(Queue& queue, const Extent<T>& e) {
  launch_items(queue, e.bounds.size / 6, FindEnds<T>{e});
}

template <class T>
struct AddBody {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "n-body sum of forces";

  Addition<T> a;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = item_of<AddBody>(lane);
    if (i >= a.to[0].size) return;
    const T sign = a.subtracts ? -1 : 1;
    RIDGE_UNROLL
    for (int c = 0; c < 4; ++c)
      lane.store(a.to[c], i, lane.load_written(a.to[c], i) + sign * lane.load(a.from[c], i));
  }
};

template <class T>
void add_all(Queue& queue, const Addition<T>& a) {
  launch_items(queue, a.to[0].size, AddBody<T>{a});
}

#endif

const Offer floats(kind_of<Here>, typeid(Addition<float>), &add_all<float>);
const Offer doubles(kind_of<Here>, typeid(Addition<double>), &add_all<double>);
const Offer extents(kind_of<Here>, typeid(Extent<double>), &find_extent<double>);

} // namespace adding::inline RIDGE_TARGET_NAME

} // namespace ridge::nbody
