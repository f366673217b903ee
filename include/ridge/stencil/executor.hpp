// Executors: what runs a stencil kernel under a schedule on one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/stencil/executor.hpp>
//   template struct ridge::stencil::Executor<Diffusion, double, ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu_schedule.hpp>
#include <ridge/stencil/gpu_schedule.hpp>

namespace ridge::stencil {

/// GPUs, real and emulated.
template <class K, class T, class Target>
struct Executor {
  using Schedule = GpuSchedule;
  /// Lays the call over the queue's device; empty when `K` is not compiled for the schedule here.
  /// Throws UsageError when the schedule is not possible for this device or these fields.
  [[nodiscard]] static Bound bind(Queue& queue, const Call<K, T>& call,
                                  const GpuSchedule& schedule);
  static const Offer offered;
};

/// The cpu.
template <class K, class T>
struct Executor<K, T, target::Cpu> {
  using Schedule = CpuSchedule;
  [[nodiscard]] static Bound bind(Queue& queue, const Call<K, T>& call,
                                  const CpuSchedule& schedule);
  static const Offer offered;
};

} // namespace ridge::stencil

#if defined(RIDGE_TARGET_CPU)
#include <ridge/stencil/cpu/executor.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/stencil/gpu/executor.hpp>
#endif
