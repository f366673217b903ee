// Loops over stored sites on GPUs.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lattice/stored/executor.hpp>
#include <ridge/lattice/stored/gpu/tiles.hpp>

namespace ridge::lattice {

template <class K, class Target>
Bound StoredLooper<K, Target>::bind(Queue& queue, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  using List = StoredList<K>;
  Bound bound;
  choose_from<List>(stored_variant(s, call.grid.inner), [&](auto i) {
    constexpr StoredVariant v = List::values[i];
    using Body = gpu::StoredLoop<K, v.bounds, v.resident, v.inner, v.links == Reads::once,
                                 v.store == Results::streaming>;
    const SiteWindow window = call.computed();
    const detail::Tiles tiles = detail::tiles_of(s, windowed(call.grid, window));
    LaunchShape shape{{static_cast<int>(tiles.blocks), 1, 1}, {tiles.threads, 1, 1}, 0};
    Body body{call.kernel, call.grid, window, tiles.order, {}};
    if (call.sum.data == nullptr) {
      bound = Bound(Ready<Body>(queue, shape, body));
      return;
    }
    constexpr int bytes = sizeof(double);
    shape.shared_bytes = tiles.threads * bytes;
    Memory sums(queue.device(), Bytes{tiles.blocks * bytes}, "sums of blocks");
    body.sums = {static_cast<double*>(sums.data()), tiles.blocks};
    constexpr int threads = gpu::FinishSums::max_threads;
    bound =
        Bound([loop = Ready<Body>(queue, shape, body),
               finish = Ready<gpu::FinishSums>(queue, {{1, 1, 1}, {threads, 1, 1}, threads * bytes},
                                               gpu::FinishSums{body.sums, call.sum}),
               kept = std::move(sums)]() mutable {
          loop();
          finish();
        });
  });
  return bound;
}

} // namespace ridge::lattice
