// Executors: what runs a chain under a schedule on one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/chain/executor.hpp>
//   template struct ridge::chain::Executor<Heat, double, ridge::Here>;
#pragma once

#include <ridge/chain/call.hpp>
#include <ridge/chain/cpu/schedule.hpp>
#include <ridge/chain/gpu/schedule.hpp>
#include <ridge/core/config.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>

namespace ridge::chain {

/// GPUs, real and emulated.
template <class C, class T, class Target>
struct Executor {
  using Schedule = GpuSchedule;
  /// Lays the call's plan over the queue's device; empty when a group of it is not compiled here.
  /// Throws UsageError when a tile needs more shared memory than there is, or a launch more blocks.
  [[nodiscard]] static Bound bind(Queue& queue, const Call<C, T>& call,
                                  const GpuSchedule& schedule);
  static const Offer offered;
};

/// The cpu.
template <class C, class T>
struct Executor<C, T, target::Cpu> {
  using Schedule = CpuSchedule;
  /// Empty when a run of the call's plan is not compiled here.
  [[nodiscard]] static Bound bind(Queue& queue, const Call<C, T>& call,
                                  const CpuSchedule& schedule);
  static const Offer offered;
};

/// Whether lanes with columns fetch into shared memory: asynchronous copies are there.
[[nodiscard]] bool copies_asynchronously(const Device& device);

/// How many threads the cpu takes for a range under a schedule.
[[nodiscard]] int cpu_threads(const CpuSchedule& schedule, const Range& range);

} // namespace ridge::chain

#if defined(RIDGE_TARGET_CPU)
#include <ridge/chain/cpu/executor.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/chain/gpu/executor.hpp>
#endif
