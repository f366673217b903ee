// Executors: what runs an interaction under a schedule on one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/pairs/executor.hpp>
//   template struct ridge::pairs::Executor<Coulomb, ridge::pairs::Fp32, ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/pairs/call.hpp>
#include <ridge/pairs/cpu/schedule.hpp>
#include <ridge/pairs/gpu/schedule.hpp>

namespace ridge::pairs {

/// GPUs, real and emulated.
template <class I, class P, class Target>
struct Executor {
  using Schedule = GpuSchedule;
  /// Lays the call over the queue's device; empty when `I` is not compiled for the schedule here.
  /// Throws UsageError when the schedule is not possible for this device or this interaction.
  [[nodiscard]] static Bound bind(Queue& queue, const Call<I, P>& call,
                                  const GpuSchedule& schedule);
  static const Offer offered;
};

/// The cpu.
template <class I, class P>
struct Executor<I, P, target::Cpu> {
  using Schedule = CpuSchedule;
  [[nodiscard]] static Bound bind(Queue& queue, const Call<I, P>& call,
                                  const CpuSchedule& schedule);
  static const Offer offered;
};

} // namespace ridge::pairs

#if defined(RIDGE_TARGET_CPU)
#include <ridge/pairs/cpu/executor.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/pairs/gpu/executor.hpp>
#endif
