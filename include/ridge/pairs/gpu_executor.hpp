// The pairs pattern on GPUs: from a schedule to a compiled variant and its launches.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/gpu_direct.hpp>
#include <ridge/pairs/gpu_mutual.hpp>

#include <algorithm>

namespace ridge::pairs {

namespace gpu::inline RIDGE_TARGET_NAME {

/// Whether interaction I in precision P is compiled for it.
template <class I, class P>
constexpr bool is_compiled(Stage stage, int tile, int unroll, int ways) {
  if (ways > 1 && (stage != Stage::warp || ways > tile)) return false;
  if (stage != Stage::shared && unroll != 4) return false;
  if (stage == Stage::warp && tile > 4) return false;
  if (has_whole_space<I, P>) return true;
  if (unroll != 4) return false;
  switch (stage) {
  case Stage::shared:
    return tile == 1 || tile == 4;
  case Stage::both:
    return tile == 4;
  case Stage::warp:
    return tile == 2 && ways == 2;
  default:
    return tile == 1;
  }
}

/// Most blocks of a launch along x.
inline constexpr Index most_blocks = (Index{1} << 31) - 1;

template <class I, class P>
using MutualTiles = std::conditional_t<has_whole_space<I, P>, Choices<4, 8>, Choices<4>>;

inline Span<unsigned> counters_of(Queue& queue, Index count) {
  return {static_cast<unsigned*>(queue.counters(Bytes{count * 4})), count};
}

template <class T>
Span<T> scratch_of(Queue& queue, Index count) {
  return {static_cast<T*>(queue.scratch(Bytes{count * static_cast<Index>(sizeof(T))})), count};
}

template <DirectVariant D, class I, class P>
void run_direct(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
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
  if (split > 1) {
    if (s.combine == Combine::atomic) {
      for (const auto& sum : call.sums)
        fill_bytes(queue, sum.data, 0, Bytes{targets * static_cast<Index>(sizeof(*sum.data))});
    } else {
      kernel.counters = counters_of(queue, blocks + 1);
    }
    if (s.combine == Combine::last) {
      kernel.partial = scratch_of<typename P::Summed>(queue, split * I::sums * targets);
    }
  }
  const LaunchShape shape{
      {static_cast<int>(blocks * split), 1, 1}, {s.block, 1, 1}, kernel.shared_bytes(s.block)};
  launch_body(queue, shape, kernel);
}

template <int Tile, class I, class P>
void run_mutual(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  using Kernel = Mutual<I, P, Tile>;
  const Index bodies = call.sources[0].size;
  const Index row = Index{s.block} * Tile;
  const Index rows = ceil_div(bodies, row);
  if (rows > 60000) {
    throw UsageError("form=symmetric takes up to 60000 rows of block times tile bodies; give more "
                     "threads, a larger tile or form=direct");
  }
  const Rows all{bodies, static_cast<int>(rows)};
  const auto counters = counters_of(queue, Kernel::counters_needed(all, s.block));
  const auto others = scratch_of<typename P::Summed>(queue, bodies * I::sums);
  const int warp = queue.device().facts().warp_width;
  launch_body(queue, {{all.items(), 1, 1}, {s.block, 1, 1}, Kernel::shared_bytes(s.block, warp)},
              Kernel{call, all, counters, others});
  const Index blocks = (bodies + 255) / 256;
  launch_body(queue, {{static_cast<int>(blocks), 1, 1}, {256, 1, 1}, 0},
              JoinSums<I, P>{call.sums, others, all, row});
}

/// Picks the compiled direct kernel of a schedule and runs it.
template <class I, class P>
void run_direct_of(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  bool ran = false;
  choose(s.stage, Choices<Stage::shared, Stage::shuffle, Stage::both, Stage::warp>{},
         [&](auto stage) {
           choose(s.tile, Choices<1, 2, 4, 8>{}, [&](auto tile) {
             choose(s.unroll, Choices<2, 4>{}, [&](auto unroll) {
               choose(s.ways, Choices<1, 2, 4>{}, [&](auto ways) {
                 if constexpr (is_compiled<I, P>(stage, tile, unroll, ways)) {
                   run_direct<DirectVariant{stage, tile, unroll, ways}>(queue, call, s);
                   ran = true;
                 }
               });
             });
           });
         });
  if (!ran) {
    throw UsageError("this interaction is compiled for stage=shared tile=1 and tile=4, "
                     "stage=shuffle tile=1, stage=warp tile=2 ways=2, stage=both tile=4, all with "
                     "unroll=4");
  }
}

template <class I, class P>
void run_mutual_of(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  if constexpr (has_mutual<I, Value<P>>) {
    if (!call.skip_self || call.targets[0].data != call.sources[0].data) {
      throw UsageError("form=symmetric is for bodies among themselves");
    }
    const bool compiled =
        choose(s.tile, MutualTiles<I, P>{}, [&](auto tile) { run_mutual<tile>(queue, call, s); });
    if (!compiled) throw UsageError("this interaction's symmetric form is compiled for tile=4");
  } else {
    throw UsageError("this interaction has no symmetric form");
  }
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class I, class P, class Target>
void Executor<I, P, Target>::run(Queue& queue, const Call<I, P>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  if (s.form == Form::symmetric) {
    gpu::run_mutual_of(queue, call, s);
  } else {
    gpu::run_direct_of(queue, call, s);
  }
}

template <class I, class P, class Target>
int Executor<I, P, Target>::rsqrt_steps(Grade grade) {
  using T = typename P::Computed;
  return grade == Grade::refined ? ridge::rsqrt_steps<Grade::refined, T>() : 0;
}

} // namespace ridge::pairs
