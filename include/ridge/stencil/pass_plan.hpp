// How a pass of several sweeps is cut into jobs for the persistent blocks of a GPU.
#pragma once

#include <ridge/core/extents.hpp>

#include <vector>

namespace ridge::stencil {

/// What a block does at a time: the results of a tile from plane `z_begin` to before `z_end`.
struct PassJob {
  int x = 0,
      y = 0; ///< of the tile's first point, halo included: beyond the low faces it is negative
  int z_begin = 0, z_end = 0;
  int at_edge = 0; ///< 1: the tile holds points that no sweep computes
};

/// The shape of tiles, with their halos, and what they cost.
struct PassTiles {
  int x = 0, y = 0;       ///< points of a tile
  int halo = 0;           ///< of these, those on each side that later sweeps lose; planes alike
  int radius = 1;         ///< points of the field's own shell
  int sector = 1;         ///< elements that memory writes at a time
  int piece = 1;          ///< elements that copies begin at a multiple of
  double edge_cost = 1.0; ///< of a plane of a tile at the edge; others take 1
};

struct PassPlan {
  int lead_x = 0, lead_y = 0; ///< points of a tile before its results
  int step_x = 0, step_y = 0; ///< results of a tile
  std::vector<PassJob> jobs;  ///< in the order of the blocks
  std::vector<int> first;     ///< of each block, and one more: the number of jobs
};

/// Every point within the shell of a field of these extents in exactly one job. Blocks take whole
/// columns, neighbours at the same time, while there is one for each; what columns are left are
/// cut so that all blocks end together, unless that is no gain.
[[nodiscard]] PassPlan plan_pass(const PassTiles& tiles, Index3 extents, int blocks);

} // namespace ridge::stencil
