// How a launch lies over the fields: what host code works out once and every lane reads. Plain
// data, the same for the host and for all GPUs.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/device/tile_map.hpp>
#include <ridge/device/view.hpp>
#include <ridge/stencil/footprint.hpp>
#include <ridge/stencil/schedule_fields.hpp>

namespace ridge::stencil::gpu {

/// Bytes that memory reads and writes at least at a time.
inline constexpr int sector_bytes = 32;

/// Planes between asking for the ends of rows of the result and writing them.
inline constexpr int march_planes_ahead = 4;

/// Planes on their way to shared memory under stage=window, where the GPU copies by itself. The
/// ends of rows come with them.
inline constexpr int window_planes_ahead = march_planes_ahead - 1;

/// A row of a tile in shared memory under stage=window, in bytes.
struct WindowPitch {
  int bytes;  ///< from one row to the next
  int first;  ///< where the tile's own points begin
  int behind; ///< the last row's last, for what is beside the tile
};
/// For rows of `own` bytes and as many as `beside` before and behind them. Where planes are copied
/// (`copied`), the own bytes begin at lines, and what is behind a row shares lines with what is
/// before the next.
[[nodiscard]] constexpr WindowPitch window_pitch(int own, int beside, bool copied) {
  if (!copied) return {own + 2 * beside, beside, 0};
  constexpr int line = 128;
  const auto lines = [](int bytes) { return (bytes + line - 1) / line * line; };
  return {lines(own) + lines(2 * beside), lines(beside), lines(beside)};
}

/// The blocks of a launch over the field, for any order of the axes. Axis 0 of the launch grid is
/// the fastest.
struct GridMap {
  int axis_of[3] = {0, 1, 2}; ///< which axis of the field each axis of the grid walks
  int first[3] = {0, 0, 0};   ///< the first block of this launch along each axis of the field
};

/// One launch of a points kernel.
struct PointsPlan {
  GridMap grid;
  Index y_begin = 0, y_end = 0; ///< its rows
  Index x_first = 0;            ///< result of a row
  Store how = Store::plain;     ///< on the emulated GPU, where one kernel serves both
};

/// How blocks keep in step: they meet every `planes` planes and are never more than `drift` such
/// steps apart. `steps` of one column; `rounds` of columns a block takes at most. drift 0: not at
/// all.
struct MarchPace {
  int planes = 2;
  int drift = 0;
  int steps = 0;
  int rounds = 0;
};

/// All units, which are what a block takes at a time: tiles along x fastest, then along y, then
/// chunks of planes.
struct MarchUnits {
  int tiles_x = 0, tiles_y = 0, count = 0;
  int tile_x = 0, tile_y = 0;     ///< points of a tile
  Index x_begin = 0;              ///< of the first tile
  Index x_first = 0, y_first = 0; ///< results
  Index z_first = 0, z_end = 0;
  Index planes = 0; ///< of a chunk
};

/// One launch of a march.
struct MarchPlan {
  MarchUnits units;
  int ring = 0;          ///< planes in shared memory
  MarchPace pace;        ///< how blocks keep in step
  Span<unsigned> passed; ///< for each step, how many blocks have begun it; zero between launches
};

/// Facts of a compiled march for host code.
struct MarchFacts {
  int tile_x = 0, tile_y = 0; ///< points of a block's tile
  int consumers = 0;          ///< threads that compute
  int held = 0;               ///< planes that stay from one output plane to the next
  int header_bytes = 0, stage_bytes = 0, target_bytes = 0; ///< of shared memory
  int planes = 0;       ///< in shared memory, filled by all; 0: a ring, filled by a warp of its own
  int spared_bytes = 0; ///< of `stage_bytes` a plane of the ring: rings of inputs that keep fewer
};

/// Elements and rows of a tile that is copied at once.
struct TileExtent {
  int x = 0, y = 0;
};
/// The elements that a map of such tiles counts as one: the copy engine takes few in a row, of up
/// to 8 bytes each.
constexpr int counted_as_one(int row, int element_bytes) {
  return row > most_tile_extent ? 8 / element_bytes : 1;
}

/// Facts, for host code, of a compiled kernel whose types it does not have: where the parts of
/// its body lie. Compiled into the kernel's image.
struct BodyFacts {
  int bytes = 0;                          ///< of the body
  int call_bytes = 0;                     ///< of the call, with which it begins
  int in_offset = 0, out_offset = 0;      ///< of the views
  int plan_offset = 0, misfit_offset = 0; ///< of the plan; of the inputs' misfits, if it marches
  int inputs = 0;
  int element_bytes = 0;
  int vector = 1; ///< points of a lane in x, if it does not march
  Offset radius;
  MarchFacts march;    ///< zero for points
  int maps_offset = 0; ///< of the inputs' maps, where their planes come as tiles; else 0
  TileExtent tiles[most_tiled_inputs]; ///< of each input, there
};

} // namespace ridge::stencil::gpu
