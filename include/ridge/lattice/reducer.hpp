// Reducers: what runs a reduction under a schedule on one kind of device.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/lattice/cpu_schedule.hpp>
#include <ridge/lattice/gpu_schedule.hpp>
#include <ridge/lattice/reduce_call.hpp>

namespace ridge::lattice {

/// GPUs, real and emulated.
template <class T, class Target>
struct Reducer {
  using Schedule = GpuSchedule;
  /// Gives the work to the queue.
  static void run(Queue& queue, const ReduceCall<T>& call, const GpuSchedule& schedule);
};

/// The cpu.
template <class T>
struct Reducer<T, target::Cpu> {
  using Schedule = CpuSchedule;
  static void run(Queue& queue, const ReduceCall<T>& call, const CpuSchedule& schedule);
};

} // namespace ridge::lattice
