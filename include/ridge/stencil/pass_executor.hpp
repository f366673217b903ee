// Executors of several sweeps in one pass over memory. A kernel source that wants them ahead
// instantiates them:
//
//   #include <ridge/stencil/pass_executor.hpp>
//   template struct ridge::stencil::PassExecutor<Heat, double, ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/stencil/cpu_pass_schedule.hpp>
#include <ridge/stencil/gpu_pass_schedule.hpp>
#include <ridge/stencil/pass.hpp>
#include <ridge/stencil/pass_variants.hpp>
#include <ridge/stencil/traits.hpp>

namespace ridge::stencil {

/// Whether a kernel source has compiled a variant. A cpu has one, of which nothing is asked.
using HasPass = bool(const GpuPassVariant& variant);

/// The offers of an executor: itself, and a HasPass under typeid(PassesAhead<K, T>).
struct PassOffers {
  Offer executor, list;
};

/// GPUs, real and emulated.
template <class K, class T, class Target>
struct PassExecutor {
  using Schedule = GpuPassSchedule;
  /// Empty where `K` is not compiled for the schedule here. Throws UsageError where a GPU has no
  /// passes of such a kernel, device or boundaries.
  [[nodiscard]] static Bound bind(Queue& queue, const Pass<K, T>& pass,
                                  const GpuPassSchedule& schedule);
  static const PassOffers offered;
};

/// The cpu.
template <class K, class T>
struct PassExecutor<K, T, target::Cpu> {
  using Schedule = CpuPassSchedule;
  [[nodiscard]] static Bound bind(Queue& queue, const Pass<K, T>& pass,
                                  const CpuPassSchedule& schedule);
  static const PassOffers offered;
};

} // namespace ridge::stencil

#if defined(RIDGE_TARGET_CPU)
#include <ridge/stencil/cpu/pass_executor.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/stencil/gpu/pass_executor.hpp>
#endif
