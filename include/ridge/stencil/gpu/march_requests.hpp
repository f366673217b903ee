// Planes that come as tiles, asked for by one lane in the order in which its block computes them.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/device/tile_copy.hpp>
#include <ridge/stencil/gpu/march_steps.hpp>
#include <ridge/stencil/gpu/march_tile.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// Whether the results of a unit from `z_begin` on need the plane of input I that comes with plane
/// `z`: not the first of inputs that are read less far.
template <class Tile, int I>
RIDGE_DEVICE bool reads_plane(Index z_begin, Index z) {
  return Tile::template late_of<I> == 0 || z >= z_begin + Tile::r.z - 2 * Tile::template reach<I>.z;
}

template <class K, class T, MarchVariant M>
class MarchRequests {
public:
  using Tile = MarchTile<K, T, M>;

  MarchRequests() = default;
  RIDGE_DEVICE MarchRequests(const MarchPlan& plan, int block, int blocks)
      : steps_(plan, block, blocks), u_(block), blocks_(blocks) {
    begin(plan);
  }
  [[nodiscard]] RIDGE_DEVICE bool more(const MarchPlan& plan) const {
    return u_ < plan.units.count;
  }

  /// Asks for the next plane of all inputs, once its place in the rings has been given back.
  template <class Lane, class Planes, class Bars, class Maps>
  RIDGE_DEVICE void next(Lane& lane, const MarchPlan& plan, const Maps& maps, Planes& planes,
                         Bars& full, Bars& empty) {
    if (steps_.begins_step()) steps_.wait(lane, plan);
    lane.phase_wait(empty, slots_.newest(), parity_);
    int bytes = 0;
    unrolled<inputs_of<K>>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      if (reads_plane<Tile, i>(z_begin_, z_)) bytes += Tile::template tile_bytes<i>;
    });
    lane.phase_arrive_expecting(full, slots_.newest(), bytes);
    unrolled<inputs_of<K>>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      if (!reads_plane<Tile, i>(z_begin_, z_)) return;
      copy_tile(lane, full, slots_.newest(), planes,
                Tile::template plane_at<i>(plan.ring, slots_.template of<i>()), maps.of[i],
                x_ - Tile::template lead_of<i>, y_ - Tile::template reach<i>.y,
                z_ - Tile::template late_of<i>);
    });
    steps_.pass_plane(lane, plan, true);
    slots_.advance(plan.ring, parity_);
    if (++z_ < z_end_ + Tile::r.z) return;
    steps_.end(lane, plan, true);
    u_ += blocks_;
    begin(plan);
  }

private:
  RIDGE_DEVICE void begin(const MarchPlan& plan) {
    if (!more(plan)) return;
    const MarchUnit unit = unit_at(plan.units, u_);
    x_ = static_cast<int>(unit.x_begin);
    y_ = static_cast<int>(unit.y_begin);
    z_begin_ = static_cast<int>(unit.z_begin);
    z_end_ = static_cast<int>(unit.z_end);
    z_ = z_begin_ - Tile::r.z;
    steps_.begin(plan, u_);
  }

  MarchSteps steps_;
  typename Tile::Slots slots_;
  int parity_ = 1; // the first pass over the ring finds it empty
  int u_ = 0, blocks_ = 0;
  int x_ = 0, y_ = 0, z_begin_ = 0, z_end_ = 0; ///< of the unit; tiles count in 32 bits
  int z_ = 0;                                   ///< the next plane
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
