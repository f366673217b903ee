// The chain pattern on the cpu: tiles over threads, packs along x, temporaries of a tile in the
// cache or in registers.
#pragma once

#include <ridge/chain/cpu/worker.hpp>
#include <ridge/chain/executor.hpp>
#include <ridge/device/cpu/parallel.hpp>

#include <utility>
#include <vector>

namespace ridge::chain {

template <class C, class T>
Bound Executor<C, T, target::Cpu>::bind(Queue& /*queue*/, const Call<C, T>& call,
                                        const CpuSchedule& s) {
  using Worker = cpu::Worker<C, T>;
  std::vector<cpu::Functions<C, typename Worker::M>> functions(call.plan->groups.size());
  for (std::size_t g = 0; g < functions.size(); ++g) {
    if (!functions[g].find(call.plan->groups[g])) return {};
  }
  const int threads = cpu_threads(s, call.plan->whole);
  return Bound([call, functions = std::move(functions), threads, streams = s.streams,
                past_caches = s.store == Store::nontemporal] {
    for (std::size_t g = 0; g < functions.size(); ++g) {
      if (call.before_launch) call.before_launch(call.plan->groups[g].first);
      ridge::cpu::run(threads, [&](int thread, int all) {
        Worker(call, call.plan->groups[g], functions[g], streams, thread, all).run();
        if (past_caches) store_fence();
      });
    }
  });
}

template <class C, class T>
const Offer Executor<C, T, target::Cpu>::offered =
    launch::offer<Executor, Call<C, T>>(DeviceKind::cpu, this_source);

} // namespace ridge::chain
