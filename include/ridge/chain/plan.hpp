// Plans: a chain laid over its range under a schedule, as plain data. Which operations run
// together, how far each computes beyond its tile, and where temporaries live.
#pragma once

#include <ridge/chain/description.hpp>
#include <ridge/chain/fuse.hpp>

#include <string>
#include <vector>

namespace ridge::chain {

/// ceil(count / tile) tiles, the last one short.
[[nodiscard]] constexpr Index tiles_of(Index count, Index tile) {
  return ceil_div(count, tile);
}

/// Elements of a cache line.
inline constexpr Index line_elements = 8;
[[nodiscard]] constexpr Index in_whole_lines(Index elements) {
  return ceil_div(elements, line_elements) * line_elements;
}

/// Operations that run item by item in registers, or a single one.
struct RunPlan {
  int first = 0, last = 0;
  Offset low, high; ///< items computed before and behind each tile, for later runs of the group
};

/// Operations that run over one tile after the other.
struct GroupPlan {
  int first = 0, last = 0;
  /// Tiles follow each other along the last dimension, and each run computes only what it has not
  /// computed for the tile before.
  bool rolls = false;
  Index3 tile;
  std::vector<RunPlan> runs;
  /// cpu: in a tile's memory, where what runs hand on along columns lies: each value for all
  /// columns, in rows of whole cache lines.
  Index carry_offset = 0;
};

/// Where an array lives.
enum class Home {
  user,      ///< the user's memory
  range,     ///< memory for all of the range
  tile,      ///< memory for a tile: one a thread of the cpu, or a block of a GPU
  registers, ///< none
};

struct ArrayPlan {
  Home home = Home::user;
  int group = -1;   ///< whose tiles, for Home::tile
  Index3 before;    ///< items held before the begin of a tile; x in whole cache lines
  Index3 held;      ///< points held along each dimension
  Index copies = 1; ///< one for each instance that is under way at a time
  bool part_x = false, part_y = false, part_z = false; ///< less than the whole dimension
  Index offset = 0; ///< of the first element, from the begin of the tile's memory, or of that for
                    ///< the whole range

  [[nodiscard]] Index each() const { return held.x * held.y * held.z; } ///< of an instance
  [[nodiscard]] Index elements() const { return each() * copies; }
};

/// A plan's request.
struct PlanRequest {
  Fuse fuse;
  bool join = true; ///< join what can be joined in registers
  TileShape tile;
  bool gpu = false; ///< as GPUs run groups
};

struct Plan {
  Index3 extents; ///< of the range, or of an instance, as executors take it
  Range whole;    ///< as the user has it
  /// Outer dimensions have become a part of the last one, or else so many instances are taken one
  /// by one: on a cpu `instance_tile` of them by each operation, before the next has them.
  Index instances = 1, instance_tile = 1;
  Instance first; ///< where item 0 is
  int march = 0;  ///< the last dimension with more than one item
  std::vector<GroupPlan> groups;
  std::vector<ArrayPlan> arrays;
  Index tile_elements = 0;  ///< temporaries of a tile: those of one thread or block
  Index range_elements = 0; ///< temporaries that need memory for the whole range
  std::string note;         ///< where what was asked for was not possible, and why
};

/// Throws UsageError for extents too small for the chain, tiles larger than the extents, and
/// operations in `fuse` that the chain does not have.
[[nodiscard]] Plan make_plan(const Description& description, const Range& range,
                             const PlanRequest& request);

/// For a tile of a chain's `folded` range, whose last dimension has those around it merged, the one
/// of as many items in the range that the user has.
[[nodiscard]] TileShape unfolded(const Description& description, const Range& range,
                                 const TileShape& tile);
/// The range with all outer dimensions merged, where the chain allows it; else in the first.
[[nodiscard]] Range folded(const Description& description, const Range& range);

} // namespace ridge::chain
