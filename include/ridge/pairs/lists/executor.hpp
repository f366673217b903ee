// Executors of sums over near pairs: what runs an interaction on lists on one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/pairs/lists/executor.hpp>
//   template struct ridge::pairs::ListExecutor<LennardJones, ridge::pairs::Fp32, ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/pairs/lists/call.hpp>
#include <ridge/pairs/lists/forces.hpp>
#include <ridge/pairs/lists/schedule.hpp>

namespace ridge::pairs {

/// GPUs, real and emulated.
template <class I, class P, class Target>
struct ListExecutor {
  using Schedule = GpuListSchedule;
  /// Each run takes the lists as they are then; the first after they were built may take memory.
  [[nodiscard]] static Bound bind(Queue& queue, const Listed<I, P>& call,
                                  const GpuListSchedule& schedule);
  static const Offer offered;
};

/// The cpu.
template <class I, class P>
struct ListExecutor<I, P, target::Cpu> {
  using Schedule = CpuListSchedule;
  [[nodiscard]] static Bound bind(Queue& queue, const Listed<I, P>& call,
                                  const CpuListSchedule& schedule);
  static const Offer offered;
};

} // namespace ridge::pairs

#if defined(RIDGE_TARGET_CPU)
#include <ridge/pairs/lists/cpu/executor.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/pairs/lists/gpu/executor.hpp>
#endif
