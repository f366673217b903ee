// Shapes of a pass of several sweeps: its tiles, and what lies where in shared memory.
//
// Shared memory of a block holds, one behind the other, rows of a tile's width:
// - the ring of planes of the input;
// - the edges, which are what warps hand on to the warps beside, in two halves by turns;
// - the ring of planes of the level before, of kernels with two time levels;
// - the job that the block takes.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/gpu/pass_exchange.hpp>
#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/pass_variants.hpp>

#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// Planes that are held in shared memory.
struct PassRing {
  int ahead;     ///< that are under way
  int read_back; ///< that are read again from the ring, since registers are too few for them
};

template <class K, class T, GpuPassVariant P>
struct PassShape {
  static constexpr int sweeps = P.sweeps;
  static constexpr int rows = P.rows;
  static constexpr int warps = P.warps;
  static constexpr int tile_y = rows * warps;
  using Number = NumberOf<T>; ///< that lanes compute with, and hold
  static constexpr int vector = 16 / static_cast<int>(sizeof(Number));
  /// Elements that tiles begin at a multiple of: the copy engine's instruction is illegal for rows
  /// of a tile that do not begin at a multiple of 16 bytes.
  static constexpr int piece = 16 / static_cast<int>(sizeof(T));
  static constexpr Offset r = radius_of<K>();
  static constexpr int radius = r.z;
  static constexpr int levels = levels_of<K>();
  static constexpr int halo = sweeps * radius;
  /// Whether the copy engine of a device that has one brings whole planes of the tile. It cannot
  /// fetch what lies beyond periodic faces.
  static constexpr bool takes_tiles = !P.moving;
  static constexpr bool by_tiles = copies_tiles && takes_tiles;
  /// Whether steps far from both ends in z have forms of their own at faces in x and y: a step that
  /// cares about all takes six times as many instructions as one that cares about none.
  static constexpr bool has_sides = P.moving && radius == 1;
  /// Whether ends of rows and periodic faces have such forms apart: waves in fp32 are slower then.
  static constexpr bool has_ends = has_sides && (levels == 1 || sizeof(T) == 8);

  using Value = Pack<Number, vector>;
  static constexpr int pack_bytes = vector * static_cast<int>(sizeof(T)); ///< of one in memory
  static constexpr int turn = 2 * radius + 1; ///< steps after which registers are where they were

  /// Rows of each warp that others read: the first and the last, or all.
  static constexpr int handed = radius == 1 && rows > 2 ? 2 : rows;
  static constexpr int level_rows = handed * warps + radius;
  static constexpr int half_rows = (sweeps - 1) * level_rows;
  static constexpr int edge_rows = 2 * half_rows + radius;

  /// Planes of the ring: those from the newest to the oldest that is read, and those under way.
  static constexpr int planes_of(const PassRing& ring) {
    return (ring.read_back > 0 ? 2 * radius : radius) + 1 + ring.ahead;
  }
  static constexpr int older_planes_of(const PassRing& ring) {
    return levels > 1 ? 1 + ring.ahead : 0;
  }
  // Beside each plane, and beside what warps hand on of each sweep, are rows that nobody writes:
  // what the first and the last warps of a block read there no result needs. The last row of a
  // plane holds the barrier that counts its bytes, where tiles are copied.
  static constexpr int slot_rows_of(bool tiles) {
    return tile_y + radius + (tiles ? radius + 1 : 0);
  }
  static constexpr int plane_rows_of(const PassRing& ring, bool tiles) {
    return planes_of(ring) * slot_rows_of(tiles) + (tiles ? 0 : radius);
  }
  static constexpr int all_rows_of(const PassRing& ring, bool tiles) {
    return plane_rows_of(ring, tiles) + edge_rows + older_planes_of(ring) * tile_y;
  }
  /// Copies are two planes ahead: more, counted with tiles, are no faster. What registers are too
  /// few for was counted with nvcc 13 (docs/design/sweeps.md).
  static constexpr PassRing ring_of(bool tiles) {
    if (!tiles) return {2, 0};
    // Rows of what a block on a Hopper GPU can have.
    constexpr int room = (227 * 1024 - 16) / (32 * pack_bytes);
    constexpr int registers = warps <= 8 ? 255 : 2048 / warps;
    // In 16 bits shared memory has room for planes that two levels would spill.
    const bool scarce =
        registers - 8 * halo * rows < 26 * rows || (is_stored<T> && levels > 1 && sweeps > 3);
    PassRing ring{2, scarce ? 2 * radius : 0};
    if (all_rows_of(ring, true) > room) ring.read_back = 0;
    return ring;
  }

  /// Shared memory of a block on a device of this warp width, which copies tiles or does not.
  static constexpr int shared_bytes(int warp_width, bool tiles) {
    return all_rows_of(ring_of(tiles && takes_tiles), tiles && takes_tiles) * warp_width *
               pack_bytes +
           16;
  }

  // Planes ahead on the device that this is compiled for.
  static constexpr int ahead = ring_of(by_tiles).ahead;
  static constexpr int from_ring = ring_of(by_tiles).read_back;
  static constexpr int ring = planes_of(ring_of(by_tiles));
  static constexpr int slot_rows = slot_rows_of(by_tiles);
  static constexpr int plane_rows = plane_rows_of(ring_of(by_tiles), by_tiles);
  /// A lane reads none but its own rows of the level before.
  static constexpr int older_ring = older_planes_of(ring_of(by_tiles));
  static constexpr int older_rows = older_ring * tile_y;

  /// Elements of a row of the tile, and of a plane of each ring.
  template <class Lane>
  static RIDGE_DEVICE constexpr int row_elements(const Lane& lane) {
    return lane.width() * vector;
  }
  template <class Lane>
  static RIDGE_DEVICE constexpr int slot_elements(const Lane& lane) {
    return slot_rows * row_elements(lane);
  }
  template <class Lane>
  static RIDGE_DEVICE constexpr int older_elements(const Lane& lane) {
    return tile_y * row_elements(lane);
  }

  template <class Lane>
  static RIDGE_DEVICE auto planes(Lane& lane) {
    return lane.template shared<T>(0, plane_rows * row_elements(lane));
  }
  template <class Lane>
  static RIDGE_DEVICE auto edges(Lane& lane) {
    return lane.template shared<T>(bytes_of(lane, plane_rows), edge_rows * row_elements(lane));
  }
  template <class Lane>
  static RIDGE_DEVICE auto older_planes(Lane& lane) {
    return lane.template shared<T>(bytes_of(lane, plane_rows + edge_rows),
                                   older_rows * row_elements(lane));
  }
  template <class Lane>
  static RIDGE_DEVICE auto job(Lane& lane) {
    return lane.template shared<int>(bytes_of(lane, plane_rows + edge_rows + older_rows), 1);
  }

  /// Memory of the plane in the slot that begins there.
  template <class Lane, class Planes>
  static RIDGE_DEVICE PhaseBarrier* phase_of(const Lane& lane, Planes& planes, int slot) {
    return reinterpret_cast<PhaseBarrier*>(planes + slot + (slot_rows - 1) * row_elements(lane));
  }
  static constexpr int steps_phase = 1; ///< beside the first slot's: that of a step

private:
  template <class Lane>
  static RIDGE_DEVICE constexpr int bytes_of(const Lane& lane, int count) {
    return count * row_elements(lane) * static_cast<int>(sizeof(T));
  }
};

/// `at` in a ring of `size`, for 0 <= at < 2 size.
RIDGE_DEVICE int in_ring(int size, int at) {
  const auto over = static_cast<unsigned>(at - size);
  const auto here = static_cast<unsigned>(at);
  return static_cast<int>(over < here ? over : here);
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
