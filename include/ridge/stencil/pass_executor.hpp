// Executors of several sweeps in one pass over memory. A kernel source that wants one ahead
// instantiates it for the cpu:
//
//   #include <ridge/stencil/pass_executor.hpp>
//   #if defined(RIDGE_TARGET_CPU)
//   template struct ridge::stencil::PassExecutor<Heat, double, ridge::Here>;
//   #endif
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/stencil/cpu_pass_schedule.hpp>
#include <ridge/stencil/pass.hpp>

namespace ridge::stencil {

template <class K, class T, class Target>
struct PassExecutor;

/// The cpu.
template <class K, class T>
struct PassExecutor<K, T, target::Cpu> {
  using Schedule = CpuPassSchedule;
  [[nodiscard]] static Bound bind(Queue& queue, const Pass<K, T>& pass,
                                  const CpuPassSchedule& schedule);
  static const Offer offered;
};

} // namespace ridge::stencil

#if defined(RIDGE_TARGET_CPU)
#include <ridge/stencil/cpu/pass_executor.hpp>
#endif
