// Sums over near pairs on GPUs: from lists to launches.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/pairs/lists/beside.hpp>
#include <ridge/pairs/lists/executor.hpp>
#include <ridge/pairs/lists/gpu/sums.hpp>

#include <algorithm>

namespace ridge::pairs {

namespace gpu::inline RIDGE_TARGET_NAME {

/// How many warps share lists: where 0 is asked for, as many as keep a large GPU busy. Depends on
/// all bodies, not on the device or a rank's part, and so do the sums' last bits.
template <class Sum>
int ways_of(const Device& device, Index lists, const GpuListSchedule& s) {
  const int width = device.facts().warp_width;
  int ways = s.ways != 0 ? s.ways : lists < few_lists ? 4 : 1;
  constexpr int room = 48 << 10;
  while (ways > 1 && (ways * width > s.block || Sum::shared_bytes(s.block, ways) > room))
    ways /= 2;
  return ways;
}

template <int Share, bool Splits, class I, class P>
Bound bind_near(Queue& queue, const Listed<I, P>& call, const GpuListSchedule& s, int ways) {
  using T = typename P::Stored;
  using Bring = BringBodies<I, P>;
  using Sum = SumNear<I, P, Share, Splits>;
  const ListData& data = *call.lists;
  const Index threads = ways * ceil_div(data.end_slot - data.first_slot, Index{Share});
  const Index blocks = std::max<Index>(1, ceil_div(threads, Index{s.block}));
  const LaunchShape shape{
      {static_cast<int>(blocks), 1, 1}, {s.block, 1, 1}, Sum::shared_bytes(s.block, ways)};
  Sum sum{call.interaction,
          data.cutoff,
          data.first_slot,
          data.end_slot,
          ways,
          data.ways,
          {},
          {},
          {},
          {},
          {},
          0,
          {},
          ListSide::all,
          {},
          call.sums};
  Bring bring{call.bodies,     data.length,   0,        {}, {}, {}, {}, ListSide::all, {},
              data.first_slot, data.end_slot, data.unit};
  return Bound([&queue, shape, lists = call.lists, bring, sum = Ready<Sum>(queue, shape, sum),
                brought = Field<T>()]() mutable {
    const Index needed = (lists->slots + 1) * Bring::padded;
    if (brought.count() < needed) {
      brought = {};
      brought = Field<T>(queue.device(), Extents{needed + needed / 10}, "bodies by lists");
    }
    bring.far = lists->far;
    bring.body = lists->body;
    bring.shift = lists->shift;
    bring.halt = lists->halt;
    bring.brought = {brought.data(), needed};
    bring.own = lists->own;
    sum.body.meets = lists->own.meets;
    sum.body.brought = bring.brought;
    sum.body.body = lists->body;
    sum.body.row_counts = lists->row_counts;
    sum.body.row_begins = lists->row_begins;
    sum.body.most_rows = lists->entries.size / (4 * Index{queue.device().facts().warp_width} *
                                                std::max<Index>(lists->row_counts.size, 1));
    sum.body.entries = lists->entries;
    sum.body.halt = lists->halt;
    const auto give_bodies = [&](ListSide side, Queue& to) {
      bring.side = sum.body.side = side;
      const Index items = bring.items(lists->slots, lists->bodies);
      const auto blocks = static_cast<int>(ceil_div(items, Index{Bring::max_threads}));
      launch_body(to, {{blocks, 1, 1}, {Bring::max_threads, 1, 1}, 0}, bring);
    };
    if (lists->beside == nullptr) {
      give_bodies(ListSide::all, queue);
      return sum();
    }
    lists->beside->run([&](Queue& to) { give_bodies(ListSide::own, to); },
                       [&](Queue& to) { launch_body(to, shape, sum.body); },
                       [&](Queue& to) {
                         give_bodies(ListSide::others, to);
                         launch_body(to, shape, sum.body);
                       });
  });
}

template <int Share, class I, class P>
Bound bind_near(Queue& queue, const Listed<I, P>& call, const GpuListSchedule& s) {
  const ListData& data = *call.lists;
  const int ways = ways_of<SumNear<I, P, Share, true>>(queue.device(), data.bodies / Share, s);
  return ways > 1 || data.ways > 1 ? bind_near<Share, true>(queue, call, s, ways)
                                   : bind_near<Share, false>(queue, call, s, 1);
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class I, class P, class Target>
Bound ListExecutor<I, P, Target>::bind(Queue& queue, const Listed<I, P>& call,
                                       const GpuListSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return call.lists->share == 1 ? gpu::bind_near<1>(queue, call, s)
                                : gpu::bind_near<2>(queue, call, s);
}

template <class I, class P, class Target>
const Offer ListExecutor<I, P, Target>::offered =
    launch::offer<ListExecutor, Listed<I, P>>(kind_of<Target>, this_source);

} // namespace ridge::pairs
