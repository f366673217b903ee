// Compiled once per device kind.
#include <ridge/core/random.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/random.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/lattice/gpu/block.hpp>
#endif

namespace ridge::lattice {

inline namespace RIDGE_TARGET_NAME {

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
void fill(Queue& /*queue*/, const RandomCall<T>& call) {
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
}

#else

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

template <class T>
void fill(Queue& queue, const RandomCall<T>& call) {
  launch_body(queue, gpu::striding_shape(call.z.size, RandomSites<T>::max_threads),
              RandomSites<T>{call});
}

#endif

} // namespace RIDGE_TARGET_NAME

namespace {
const Offer of_floats(kind_of<Here>, typeid(RandomCall<float>), &fill<float>);
const Offer of_doubles(kind_of<Here>, typeid(RandomCall<double>), &fill<double>);
} // namespace

} // namespace ridge::lattice
