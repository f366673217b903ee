// The chain pattern on the cpu: tiles over threads, packs along x, temporaries of a tile in the
// cache or in registers; operations between given ends as a wave.
#pragma once

#include <ridge/chain/cpu/wave_worker.hpp>
#include <ridge/chain/cpu/worker.hpp>
#include <ridge/chain/executor.hpp>
#include <ridge/device/cpu/parallel.hpp>

#include <utility>
#include <vector>

namespace ridge::chain {

template <class C, class T>
Bound Executor<C, T, target::Cpu>::bind(Queue& queue, const Call<C, T>& call,
                                        const CpuSchedule& s) {
  using Worker = cpu::Worker<C, T>;
  std::vector<cpu::Functions<C, typename Worker::M>> functions(call.plan->groups.size());
  for (std::size_t g = 0; g < functions.size(); ++g) {
    if (!functions[g].find(call.plan->groups[g])) return {};
  }
  const int threads = cpu_threads(s, call.plan->whole);
  typename Worker::M memory{call.windows, call.plan->extents,
                            ridge::cpu::LinesAhead::by_streams(s.streams)};
  if constexpr (dimension_of<C>(1).edge == Edge::given) {
    const Index bytes = call.plan->whole.items() * arrays_of<C> * static_cast<Index>(sizeof(T));
    const Description description = describe<C, T>();
    memory.rows_ahead = description.reads_rows_again() && call.plan->extents.z > 1 &&
                        bytes > queue.device().facts().l2.value;
    std::vector<WaveLag> wave = wave_of(description, *call.plan, s.fuse);
    // Somebody who sets what lies beyond the ends must set rows as they come.
    if (!wave.empty() && (!call.before_launch || call.rows_done)) {
      const Index rows = wave_rows(description, wave, call.plan->groups[0].tile.y);
      return Bound([call, functions = std::move(functions), wave = std::move(wave), rows, threads,
                    memory]() mutable {
        const auto each = [&](int first, const auto& work) {
          if (call.before_launch) call.before_launch(first);
          ridge::cpu::run(threads, [&](int thread, int all) {
            work(cpu::WaveWorker<C, T>(call, wave, rows, functions, memory, thread, all));
            store_fence();
          });
        };
        memory.rows_again = false;
        each(call.plan->groups[0].first, [](auto worker) { worker.run_wave(); });
        memory.rows_again = true;
        for (std::size_t g = 1; g < wave.size(); ++g)
          each(call.plan->groups[g].first, [g](auto worker) { worker.run_rest(g); });
      });
    }
  }
  return Bound([call, functions = std::move(functions), threads, memory,
                past_caches = s.store == Store::nontemporal] {
    for (std::size_t g = 0; g < functions.size(); ++g) {
      if (call.before_launch) call.before_launch(call.plan->groups[g].first);
      ridge::cpu::run(threads, [&](int thread, int all) {
        Worker(call, call.plan->groups[g], functions[g], memory, thread, all).run();
        if (past_caches) store_fence();
      });
    }
  });
}

template <class C, class T>
const Offer Executor<C, T, target::Cpu>::offered =
    launch::offer<Executor, Call<C, T>>(DeviceKind::cpu, this_source);

} // namespace ridge::chain
