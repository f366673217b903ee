// The pairs pattern on GPUs: from a schedule to a compiled variant and its launches.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/gpu/direct.hpp>
#include <ridge/pairs/gpu/symmetric.hpp>

#include <string>
#include <type_traits>

namespace ridge::pairs {

namespace gpu::inline RIDGE_TARGET_NAME {

/// Most blocks of a launch along x.
inline constexpr Index most_blocks = (Index{1} << 31) - 1;

inline Span<unsigned> counters_of(Queue& queue, Index count) {
  return {static_cast<unsigned*>(queue.counters(Bytes{count * 4})), count};
}

template <class T>
Span<T> scratch_of(Queue& queue, Index count) {
  return {static_cast<T*>(queue.scratch(Bytes{count * static_cast<Index>(sizeof(T))})), count};
}

/// Throws UsageError unless the device has the shared memory that blocks ask for, and blocks are of
/// whole warps.
inline void check_shape(const Device& device, const LaunchShape& shape) {
  const Bytes most = device.facts().shared_per_block;
  if (shape.shared_bytes > most.value) {
    throw UsageError("this schedule needs " + to_text(Bytes{shape.shared_bytes}) +
                     " of shared memory, and a block can have " + to_text(most));
  }
  const int width = device.facts().warp_width;
  if (shape.block.x % width != 0) {
    throw UsageError("block=" + std::to_string(shape.block.x) + " is not made of whole warps of " +
                     std::to_string(width) + " threads");
  }
}

template <DirectVariant D, class I, class P>
Bound bind_direct(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  using Kernel = Direct<I, P, D>;
  const Index targets = call.targets[0].size;
  const Index sources = call.sources[0].size;
  const bool shares = s.divide == Divide::sources;
  const int warp = queue.device().facts().warp_width;
  const Index per_block = Index{(shares ? warp : s.block) / D.ways} * D.tile;
  const Index blocks = ceil_div(targets, per_block);
  // Whole tiles, so that only the last part has a ragged one.
  const Index even = ceil_div(sources, s.split);
  const Index part = ceil_div(even, s.block) * s.block;
  // Parts that would be empty are left out.
  const Index split = ceil_div(sources, part);
  if (blocks * split > most_blocks) {
    throw UsageError("split=" + std::to_string(s.split) + " makes " +
                     std::to_string(blocks * split) + " blocks; give a smaller one");
  }
  const Index visited = shares ? Kernel::share_of_warp(part, s.block / warp, warp) : part;
  Kernel kernel{{call,
                 static_cast<int>(blocks),
                 static_cast<int>(split),
                 part,
                 visited,
                 shares,
                 s.combine,
                 {},
                 {}}};
  const LaunchShape shape{
      {static_cast<int>(blocks * split), 1, 1}, {s.block, 1, 1}, kernel.shared_bytes(s.block)};
  check_shape(queue.device(), shape);
  if (split > 1 && s.combine == Combine::atomic) {
    const Bytes each{targets * static_cast<Index>(sizeof(typename P::Summed))};
    return Bound(
        [&queue, sums = call.sums, each, launch = Ready<Kernel>(queue, shape, kernel)]() mutable {
          for (const auto& sum : sums)
            fill_bytes(queue, sum.data, 0, each);
          launch();
        });
  }
  if (split > 1) kernel.counters = counters_of(queue, blocks + 1);
  if (split > 1 && s.combine == Combine::last)
    kernel.partial = scratch_of<typename P::Summed>(queue, split * I::sums * targets);
  return Bound(Ready<Kernel>(queue, shape, kernel));
}

template <SymmetricVariant V, class I, class P>
Bound bind_symmetric(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  using Kernel = Mutual<I, P, V>;
  const Index bodies = call.sources[0].size;
  const Index row = Index{s.block} * V.tile;
  const Index rows = ceil_div(bodies, row);
  if (rows > 60000) {
    throw UsageError("form=symmetric takes up to 60000 rows of block times tile bodies; give more "
                     "threads, a larger tile or form=direct");
  }
  const Rows all{bodies, static_cast<int>(rows)};
  const int warp = queue.device().facts().warp_width;
  const LaunchShape shape{
      {all.items(), 1, 1}, {s.block, 1, 1}, Kernel::shared_bytes(s.block, warp)};
  check_shape(queue.device(), shape);
  const auto counters = counters_of(queue, Kernel::counters_needed(all, s.block));
  const auto others = scratch_of<typename P::Summed>(queue, bodies * I::sums);
  const LaunchShape each_body{{static_cast<int>(ceil_div(bodies, Index{256})), 1, 1}, {256, 1, 1}};
  return Bound(
      [meet = Ready<Kernel>(queue, shape, Kernel{call, all, counters, others}),
       join = Ready<JoinSums<I, P>>(queue, each_body, {call.sums, others, all, row})]() mutable {
        meet();
        join();
      });
}

/// Picks the compiled direct kernel of a schedule.
template <class I, class P>
Bound bind_direct_of(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  using List = DirectList<I, P>;
  Bound bound;
  choose_from<List>(DirectVariant{s.stage, s.tile, s.unroll, s.ways}, [&](auto i) {
    constexpr DirectVariant chosen = List::values[i];
    bound = bind_direct<chosen>(queue, call, s);
  });
  return bound;
}

/// The same of the symmetric form.
template <class I, class P>
Bound bind_symmetric_of(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  if constexpr (has_mutual<I>) {
    if (!call.skip_self || call.targets[0].data != call.sources[0].data)
      throw UsageError("form=symmetric is for bodies among themselves");
    using List = SymmetricList<I, P>;
    Bound bound;
    choose_from<List>(SymmetricVariant{s.tile, s.unroll}, [&](auto i) {
      constexpr SymmetricVariant chosen = List::values[i];
      bound = bind_symmetric<chosen>(queue, call, s);
    });
    return bound;
  } else {
    throw UsageError("this interaction has no symmetric form");
  }
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class I, class P, class Target>
Bound Executor<I, P, Target>::bind(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return s.form == Form::symmetric ? gpu::bind_symmetric_of(queue, call, s)
                                   : gpu::bind_direct_of(queue, call, s);
}

template <class I, class P, class Target>
const Offer Executor<I, P, Target>::offered = launch::offer<Executor, Call<I, P>>(kind_of<Target>,
                                                                                  this_source);

} // namespace ridge::pairs
