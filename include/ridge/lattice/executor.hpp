// Executors: what lays reductions, maps and shifts of whole fields over one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/lattice/executor.hpp>
//   template struct ridge::lattice::Reducer<FourthPowers, double, ridge::Here>;
//
// `bind` throws UsageError when the schedule is not possible for this device or these fields, and
// is empty where the kernel is not compiled for the schedule here.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lattice/cpu/schedule.hpp>
#include <ridge/lattice/gpu/schedule.hpp>
#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduce_call.hpp>
#include <ridge/lattice/shift_call.hpp>
#include <ridge/lattice/variants.hpp>
#include <ridge/launch/offer.hpp>

#include <type_traits>

namespace ridge::lattice {

/// Kernels of the cpu, or of GPUs, real and emulated.
template <class Target>
using ScheduleFor =
    std::conditional_t<std::is_same_v<Target, target::Cpu>, CpuSchedule, GpuSchedule>;

template <class R, class T, class Target>
struct Reducer {
  using Schedule = ScheduleFor<Target>;
  [[nodiscard]] static Bound bind(Queue& queue, const ReduceCall<R, T>& call,
                                  const Schedule& schedule);
  static const Offer offered;
};
template <class R, class T, class Target>
const Offer Reducer<R, T, Target>::offered =
    launch::offer<Reducer, ReduceCall<R, T>>(kind_of<Target>, this_source);

template <class M, class T, class Target>
struct Mapper {
  using Schedule = ScheduleFor<Target>;
  [[nodiscard]] static Bound bind(Queue& queue, const MapCall<M, T>& call,
                                  const Schedule& schedule);
  static const Offer offered;
};
template <class M, class T, class Target>
const Offer Mapper<M, T, Target>::offered = launch::offer<Mapper, MapCall<M, T>>(kind_of<Target>,
                                                                                 this_source);

/// Only the number of threads of a schedule counts.
template <class T, class Target>
struct Shifter {
  using Schedule = ScheduleFor<Target>;
  [[nodiscard]] static Bound bind(Queue& queue, const ShiftCall<T>& call, const Schedule& schedule);
  static const Offer offered;
};
template <class T, class Target>
const Offer Shifter<T, Target>::offered = launch::offer<Shifter, ShiftCall<T>>(kind_of<Target>,
                                                                               this_source);

} // namespace ridge::lattice

#if defined(RIDGE_TARGET_CPU)
#include <ridge/lattice/cpu/mapper.hpp>
#include <ridge/lattice/cpu/reducer.hpp>
#include <ridge/lattice/cpu/shifter.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/lattice/gpu/mapper.hpp>
#include <ridge/lattice/gpu/reducer.hpp>
#include <ridge/lattice/gpu/shifter.hpp>
#endif
