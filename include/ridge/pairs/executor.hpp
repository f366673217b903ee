// Executors: what runs an interaction under a schedule on one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/pairs/executor.hpp>
//   template struct ridge::pairs::Executor<Coulomb, ridge::pairs::Fp32, ridge::Here>;
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/pairs/call.hpp>
#include <ridge/pairs/cpu_schedule.hpp>
#include <ridge/pairs/gpu_schedule.hpp>

namespace ridge::pairs {

/// GPUs, real and emulated.
template <class I, class P, class Target>
struct Executor {
  using Schedule = GpuSchedule;
  /// Gives the work to the queue. Throws UsageError for a schedule `I` is not compiled for.
  static void run(Queue& queue, const Call<I, P>& call, const GpuSchedule& schedule);
  /// Vector operations of a reciprocal square root of `grade`, beside the first approximation.
  static int rsqrt_steps(Grade grade);
};

/// The cpu.
template <class I, class P>
struct Executor<I, P, target::Cpu> {
  using Schedule = CpuSchedule;
  static void run(Queue& queue, const Call<I, P>& call, const CpuSchedule& schedule);
  static int rsqrt_steps(Grade grade);
};

} // namespace ridge::pairs

#if defined(RIDGE_TARGET_CPU)
#include <ridge/pairs/cpu_executor.hpp>
#elif defined(RIDGE_TARGET_SIMT) || defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
#include <ridge/pairs/gpu_executor.hpp>
#endif
