// Shifts on GPUs: from a call to its launch.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/gpu/block.hpp>
#include <ridge/lattice/gpu/shift.hpp>

namespace ridge::lattice {

template <class T, class Target>
Bound Shifter<T, Target>::bind(Queue& queue, const ShiftCall<T>& call, const Schedule& /*s*/) {
  static_assert(std::is_same_v<Target, Here>, "instantiate shifters for ridge::Here");
  using Body = gpu::Shift<T>;
  return Bound(Ready<Body>(
      queue, gpu::striding_shape(call.z.size / call.shape.parts(), Body::max_threads), Body{call}));
}

} // namespace ridge::lattice
