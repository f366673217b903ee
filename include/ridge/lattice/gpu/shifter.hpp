// Shifts on GPUs: a thread has number after number.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/gpu/block.hpp>
#include <ridge/lattice/shift_place.hpp>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

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

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class T, class Target>
Bound Shifter<T, Target>::bind(Queue& queue, const ShiftCall<T>& call, const Schedule& /*s*/) {
  static_assert(std::is_same_v<Target, Here>, "instantiate shifters for ridge::Here");
  using Body = gpu::Shift<T>;
  return Bound(Ready<Body>(
      queue, gpu::striding_shape(call.z.size / call.shape.parts(), Body::max_threads), Body{call}));
}

} // namespace ridge::lattice
