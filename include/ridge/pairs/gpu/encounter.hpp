// The symmetric form between two sets of bodies.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pairs/encounter.hpp>
#include <ridge/pairs/gpu/executor.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

template <SymmetricVariant V, class I, class P>
Bound bind_encounter(Queue& queue, const Encounter<I, P>& e, const GpuSchedule& s) {
  using Kernel = Mutual<I, P, V, RowsBetween>;
  using Summed = typename P::Summed;
  const auto rows = static_cast<int>(ceil_div(e.most, Index{s.block} * V.tile));
  const int half = (rows + 1) / 2;
  RowsBetween between{e.a[0].size, e.b[0].size, rows, 0, rows};
  if (e.half == Half::first) between.turns = half;
  // Seen from the other set, a distance of d is one of rows - d.
  if (e.half == Half::second) between.begin = 1, between.turns = rows - half;
  if (between.turns == 0) { // one row: the other half has it
    return Bound([&queue, sums = e.sums, losses = e.losses] {
      for (const auto& sum : sums)
        fill_bytes(queue, sum.data, 0, Bytes{sum.size * static_cast<Index>(sizeof(Summed))});
      fill_bytes(queue, losses.data, 0, Bytes{losses.size * static_cast<Index>(sizeof(Summed))});
    });
  }
  Call<I, P> call{e.interaction, {}, e.a, e.sums, false};
  for (std::size_t c = 0; c < call.targets.size(); ++c)
    call.targets[c] = e.a[c];
  const LaunchShape shape{{between.items(), 1, 1},
                          {s.block, 1, 1},
                          Kernel::shared_bytes(s.block, queue.device().facts().warp_width)};
  check_shape(queue.device(), shape);
  const auto counters = counters_of(queue, Kernel::counters_needed(between, s.block));
  return Bound(Ready<Kernel>(queue, shape, Kernel{call, between, counters, e.losses, e.b}));
}

/// Empty when the interaction is not compiled for the schedule here.
template <class I, class P>
Bound bind_encounter_of(Queue& queue, const Encounter<I, P>& e, const GpuSchedule& s) {
  Bound bound;
  choose_from<SymmetricList<I, P>>(SymmetricVariant{s.tile, s.unroll}, [&](auto i) {
    bound = bind_encounter<SymmetricList<I, P>::values[i]>(queue, e, s);
  });
  return bound;
}

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
