// From a device at run time to its kind as a type.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/device.hpp>

#ifndef RIDGE_WITH_CUDA
#define RIDGE_WITH_CUDA 0
#endif
#ifndef RIDGE_WITH_HIP
#define RIDGE_WITH_HIP 0
#endif

namespace ridge {

/// Calls `f` with target::Cpu{}, Simt{}, Cuda{} or Hip{}: only for kinds this build has, so that
/// `f` refers to nothing that no kernel source was compiled for.
template <class F>
decltype(auto) on_kind_of(const Device& device, F&& f) {
  switch (device.kind()) {
#if RIDGE_WITH_CUDA
  case DeviceKind::cuda:
    return f(target::Cuda{});
#endif
#if RIDGE_WITH_HIP
  case DeviceKind::hip:
    return f(target::Hip{});
#endif
  case DeviceKind::simt:
    return f(target::Simt{});
  case DeviceKind::cpu:
    return f(target::Cpu{});
  default:
    throw Failure("this build has no kernels for " + to_text(device.id()));
  }
}

} // namespace ridge
