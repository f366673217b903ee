// Launching a march: from a schedule and the fields to the kernel that is compiled for them.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/launch/bound.hpp>
#include <ridge/stencil/gpu/march.hpp>
#include <ridge/stencil/gpu/planning.hpp>
#include <ridge/stencil/rows_at.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <MarchVariant M, class K, class T>
Bound bind_march(Queue& queue, const Call<K, T>& call, const RowsAt& rows, const GpuSchedule& s) {
  using Body = March<K, T, M>;
  if (M.tiles) check_tiled_inputs(inputs_of<K>);
  const MarchLaunch launch =
      plan_march(queue, Body::march_facts(), radius_of<K>(), call.out.extents, rows, s,
                 [&](const LaunchShape& shape) { return resident_blocks<Body>(queue, shape); });
  Body body{from_rows(call, rows), launch.plan, {}, {}};
  for (std::size_t i = 0; i < inputs_of<K>; ++i) {
    const View<const T>& in = body.call.in[i];
    body.misfit[i] = static_cast<unsigned>(misfit_of(in.data, sizeof(T)));
    if constexpr (M.tiles)
      body.maps.of[i] = {
          march_tiles(queue.device(), detail::untyped(in), sizeof(T), Body::Tile::tile_extents[i])};
  }
  return Bound(Ready<Body>(queue, launch.shape, body));
}

/// Picks the compiled march of a schedule and the fields' alignment.
template <class K, class T>
Bound bind_march_of(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  check_march(queue.device());
#if defined(RIDGE_TARGET_HIP)
  (void)call, (void)s;
  return {};
#else
  if constexpr (radius_of<K>().z == 0) {
    (void)queue, (void)call, (void)s;
    throw UsageError("stage=bulk marches in z, where this stencil reads no neighbours");
  } else if constexpr (!halo_fits(radius_of<K>(), sizeof(T))) {
    (void)queue, (void)call, (void)s;
    throw UsageError(
        "stage=bulk and stage=tiles take neighbours of at most 128 bytes in x, and this "
        "stencil reads some further away");
  } else {
    const RowsAt rows = rows_at(call);
    for (const auto& in : call.in)
      check_march_input(in.data - rows.before);
    using List = MarchList<K, T>;
    Bound bound;
    // Where results are stored makes no difference on the emulated GPU, where there are many
    // kernels to compile.
    constexpr bool emulated = std::is_same_v<Here, target::Simt>;
    const Store store = emulated ? Store::plain : s.store;
    const MarchVariant wanted = march_variant(s, store, rows.rows);
    choose_from<List>(wanted, [&](auto i) {
      constexpr MarchVariant chosen = List::values[decltype(i)::value];
      if constexpr (!emulated || chosen.store == Store::plain)
        bound = bind_march<chosen>(queue, call, rows, s);
    });
    return bound;
  }
#endif
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
