#include <ridge/core/error.hpp>
#include <ridge/pairs/gpu/planning.hpp>

#include <string>

namespace ridge::pairs::gpu {

namespace {

/// Most blocks of a launch along x.
constexpr Index most_blocks = (Index{1} << 31) - 1;

/// Sources that one of `warps` warps of a block visits of a part that they share.
Index share_of_warp(Index part, int warps, int width) {
  const Index even = (part + warps - 1) / warps;
  return (even + width - 1) / width * width;
}

} // namespace

void check_shape(const Device& device, const LaunchShape& shape) {
  const Bytes most = device.facts().shared_per_block;
  if (shape.shared_bytes > most.value) {
    throw UsageError(
        "this schedule needs " + to_text(Bytes{shape.shared_bytes}) +
        " of shared memory, and a block can have " + to_text(most) +
        "; a smaller block or tile takes less, and so does an interaction of fewer sums");
  }
  const int width = device.facts().warp_width;
  if (shape.block.x % width != 0) {
    throw UsageError("block=" + std::to_string(shape.block.x) + " is not made of whole warps of " +
                     std::to_string(width) + " threads");
  }
}

Span<unsigned> counters_of(Queue& queue, Index count) {
  return {static_cast<unsigned*>(queue.counters(Bytes{count * 4})), count};
}

DirectLaunch plan_direct(Queue& queue, const DirectFacts& facts, Index targets, Index sources,
                         const GpuSchedule& s) {
  const bool shares = s.divide == Divide::sources;
  const int warp = queue.device().facts().warp_width;
  const Index per_block = Index{(shares ? warp : s.block) / facts.ways} * facts.tile;
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
  DirectLaunch launch;
  DirectPlan& plan = launch.plan;
  plan.target_blocks = static_cast<int>(blocks);
  plan.split = static_cast<int>(split);
  plan.part = part;
  plan.visited = shares ? share_of_warp(part, s.block / warp, warp) : part;
  plan.shares = shares;
  plan.combine = s.combine;
  const bool totals = shares || plan.visited > facts.terms;
  const int shared =
      facts.control_bytes + s.block * (facts.staged_bytes + (totals ? facts.totals_bytes : 0));
  launch.shape = {{static_cast<int>(blocks * split), 1, 1}, {s.block, 1, 1}, shared};
  check_shape(queue.device(), launch.shape);
  if (split > 1) {
    plan.counters = counters_of(queue, blocks + 1);
    if (s.combine == Combine::last) {
      const Index bytes = split * facts.sums * targets * facts.summed_bytes;
      launch.partial = {static_cast<char*>(queue.scratch(Bytes{bytes})), bytes};
    }
  }
  return launch;
}

} // namespace ridge::pairs::gpu
