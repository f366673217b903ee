// Compiled once per device kind.
#include <ridge/core/random.hpp>
#include <ridge/lattice/shift_call.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

#include <algorithm>
#include <cstring>

namespace ridge::lattice {

inline namespace RIDGE_TARGET_NAME {

/// The place `by` further along dimension d.
RIDGE_FN Place shifted(const Geometry& g, const Place& place, int d, int by) {
  Coordinates x = g.coordinates(place);
  const int n = g.extent(d);
  x[d] = (x[d] + by % n + n) % n;
  return g.place(x);
}

/// Random number `r` of the site at a place.
template <class T>
RIDGE_FN T random_at(const RandomCall<T>& call, const Place& place, int r) {
  const Geometry& g = call.geometry;
  const Coordinates x = g.coordinates(place);
  Index site = 0;
  for (int d = g.rank - 1; d >= 0; --d)
    site = site * g.extent(d) + x[d];
  const Index number = site * call.shape.components * call.shape.parts() + r;
  if (call.distribution == Distribution::uniform) {
    return static_cast<T>(random_value(call.seed, number));
  }
  constexpr int terms = 12;
  double sum = 0; // of multiples of 2^-24 below 6: exact
  for (int i = 0; i < terms; ++i)
    sum += 0.5 * random_value(call.seed, number * terms + i);
  return static_cast<T>(sum);
}

#if defined(RIDGE_TARGET_CPU)

template <class T>
void shift_groups(const ShiftCall<T>& call, Index begin, Index end) {
  const Geometry& g = call.geometry;
  const int parts = call.shape.parts();
  const Index group_reals = Index{g.nsimd} * call.shape.components * parts;
  for (Index group = begin; group < end; ++group) {
    const Place first = shifted(g, {group, 0}, call.dimension, call.by);
    bool whole = true; // all lanes come from the same lanes of one group
    for (int lane = 0; lane < g.nsimd && whole; ++lane) {
      const Place from = shifted(g, {group, lane}, call.dimension, call.by);
      whole = from.group == first.group && from.lane == lane;
    }
    T* const to = call.z.data + group * group_reals;
    if (whole) {
      std::memcpy(to, call.x.data + first.group * group_reals,
                  static_cast<std::size_t>(group_reals) * sizeof(T));
      continue;
    }
    for (int lane = 0; lane < g.nsimd; ++lane) {
      const Place from = shifted(g, {group, lane}, call.dimension, call.by);
      const T* const source = call.x.data + from.group * group_reals;
      for (int c = 0; c < call.shape.components; ++c) {
        for (int p = 0; p < parts; ++p)
          to[(c * g.nsimd + lane) * parts + p] = source[(c * g.nsimd + from.lane) * parts + p];
      }
    }
  }
}

#else

template <class T>
struct Shift {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "lattice shift";
  ShiftCall<T> call;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Geometry& g = call.geometry;
    const int parts = call.shape.parts();
    const Index numbers = call.z.size / parts;
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    for (Index i = Index{lane.block().x} * max_threads + lane.thread().x; i < numbers;
         i += stride) {
      const Index vector = i / g.nsimd;
      const Index group = vector / call.shape.components;
      const int c = static_cast<int>(vector - group * call.shape.components);
      const Place to{group, static_cast<int>(i - vector * g.nsimd)};
      const Place from = shifted(g, to, call.dimension, call.by);
      const Index source = (from.group * call.shape.components + c) * g.nsimd + from.lane;
      if (parts == 2) {
        lane.store(call.z, 2 * i, lane.template load_pack<2>(call.x, 2 * source));
      } else {
        lane.store(call.z, i, lane.load(call.x, source));
      }
    }
  }
};

template <class T>
struct RandomSites {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "lattice random numbers";
  RandomCall<T> call;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Geometry& g = call.geometry;
    const int parts = call.shape.parts();
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    for (Index i = Index{lane.block().x} * max_threads + lane.thread().x; i < call.z.size;
         i += stride) {
      const Index number = i / parts;
      const Index vector = number / g.nsimd;
      const Index group = vector / call.shape.components;
      const int c = static_cast<int>(vector - group * call.shape.components);
      const Place place{group, static_cast<int>(number - vector * g.nsimd)};
      lane.store(call.z, i,
                 random_at(call, place, c * parts + static_cast<int>(i - number * parts)));
    }
  }
};

inline LaunchShape grid_of(Index count) {
  const Index blocks = std::min<Index>((count + 255) / 256, 1 << 20);
  return {{static_cast<int>(blocks), 1, 1}, {256, 1, 1}, 0};
}

#endif

} // namespace RIDGE_TARGET_NAME

template <class T, class Target>
void Mover<T, Target>::shift(Queue& queue, const ShiftCall<T>& call) {
#if defined(RIDGE_TARGET_CPU)
  (void)queue;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(call.geometry.groups, thread, threads);
    shift_groups(call, mine.begin, mine.end);
  });
#else
  launch_body(queue, grid_of(call.z.size / call.shape.parts()), Shift<T>{call});
#endif
}

template <class T, class Target>
void Mover<T, Target>::random(Queue& queue, const RandomCall<T>& call) {
#if defined(RIDGE_TARGET_CPU)
  (void)queue;
  const Geometry& g = call.geometry;
  const int parts = call.shape.parts();
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(g.groups, thread, threads);
    T* to = call.z.data + mine.begin * g.nsimd * call.shape.components * parts;
    for (Index group = mine.begin; group < mine.end; ++group) {
      for (int c = 0; c < call.shape.components; ++c) {
        for (int lane = 0; lane < g.nsimd; ++lane) {
          for (int p = 0; p < parts; ++p)
            *to++ = random_at(call, {group, lane}, c * parts + p);
        }
      }
    }
  });
#else
  launch_body(queue, grid_of(call.z.size), RandomSites<T>{call});
#endif
}

template struct Mover<float, Here>;
template struct Mover<double, Here>;

} // namespace ridge::lattice
