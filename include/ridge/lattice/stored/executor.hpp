// The executor of kernels on stored fields. Kernel sources, compiled once per device kind,
// instantiate it:
//
//   template struct ridge::lattice::StoredLooper<Kernel, ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/lattice/stored/call.hpp>
#include <ridge/launch/offer.hpp>

namespace ridge::lattice {

template <class Target>
using StoredScheduleFor =
    std::conditional_t<std::is_same_v<Target, target::Cpu>, StoredCpuSchedule, StoredGpuSchedule>;

template <class K, class Target>
struct StoredLooper {
  using Call = StoredCall<K>;
  using Schedule = StoredScheduleFor<Target>;
  [[nodiscard]] static Bound bind(Queue& queue, const Call& call, const Schedule& schedule);
  static const Offer offered;
};
template <class K, class Target>
const Offer StoredLooper<K, Target>::offered =
    launch::offer<StoredLooper, StoredCall<K>>(kind_of<Target>, this_source);

} // namespace ridge::lattice

#if defined(RIDGE_TARGET_CPU)
#include <ridge/lattice/stored/cpu/loop.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/lattice/stored/gpu/loop.hpp>
#endif
