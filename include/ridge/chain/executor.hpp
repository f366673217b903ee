// Executors: what runs a chain under a schedule on one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/chain/executor.hpp>
//   template struct ridge::chain::Executor<Heat, double, ridge::Here>;
#pragma once

#include <ridge/chain/call.hpp>
#include <ridge/chain/cpu_schedule.hpp>
#include <ridge/chain/gpu_schedule.hpp>
#include <ridge/device/queue.hpp>

namespace ridge::chain {

/// Registers and bytes of local memory of the compiled kernels of a plan: the most of any.
struct KernelFacts {
  int registers = 0; ///< 0 where there are no kernels, or none that tells
  int local_bytes = 0;
};

/// GPUs, real and emulated.
template <class C, class T, class Target>
struct Executor {
  using Schedule = GpuSchedule;
  /// Gives the work to the queue. Throws UsageError when a tile needs more shared memory than there
  /// is.
  static void run(Queue& queue, const Call<C, T>& call, const GpuSchedule& schedule);
  [[nodiscard]] static KernelFacts facts(Queue& queue, const Call<C, T>& call);
};

/// The cpu.
template <class C, class T>
struct Executor<C, T, target::Cpu> {
  using Schedule = CpuSchedule;
  static void run(Queue& queue, const Call<C, T>& call, const CpuSchedule& schedule);
  [[nodiscard]] static KernelFacts facts(Queue& queue, const Call<C, T>& call);
};

/// How many threads the cpu takes for a range under a schedule.
[[nodiscard]] int cpu_threads(const CpuSchedule& schedule, Index3 extents);

} // namespace ridge::chain

#if defined(RIDGE_TARGET_CPU)
#include <ridge/chain/cpu_executor.hpp>
#elif defined(RIDGE_TARGET_SIMT) || defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
#include <ridge/chain/gpu_executor.hpp>
#endif
