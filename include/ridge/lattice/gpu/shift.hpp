// Shifts as bodies of GPU kernels: a thread has number after number.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/lattice/shift_call.hpp>
#include <ridge/lattice/shift_place.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

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

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
