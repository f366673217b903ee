// How executors are found: by the type of the call they take.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/bound.hpp>

namespace ridge::launch {

/// Lays a call (of the type under which this is offered) over the queue's device under a schedule
/// of the device's kind; empty where the executor is not compiled for this schedule. Throws
/// UsageError where the schedule is not possible.
using Bind = Bound(Queue& queue, const void* call, const void* schedule);

/// Offers an executor's `bind` for calls of type Call, from a source that is compiled for a kind.
template <class Executor, class Call>
[[nodiscard]] Offer offer(DeviceKind kind, KernelSource source) {
  return {kind, typeid(Call),
          +[](Queue& queue, const void* call, const void* schedule) {
            return Executor::bind(queue, *static_cast<const Call*>(call),
                                  *static_cast<const typename Executor::Schedule*>(schedule));
          },
          source};
}

} // namespace ridge::launch
