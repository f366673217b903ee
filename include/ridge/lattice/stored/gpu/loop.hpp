// Loops over stored sites on GPUs.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/device/launch.hpp>
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
    const detail::Tiles tiles = detail::tiles_of(s, call.grid);
    bound =
        Bound(Ready<Body>(queue, {{static_cast<int>(tiles.blocks), 1, 1}, {tiles.threads, 1, 1}, 0},
                          Body{call.kernel, call.grid, tiles.order}));
  });
  return bound;
}

} // namespace ridge::lattice
