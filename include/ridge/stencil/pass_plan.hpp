// How a pass of several sweeps is cut into jobs for the persistent blocks of a GPU.
#pragma once

#include <ridge/core/extents.hpp>

#include <vector>

namespace ridge::stencil {

/// A block's work at a time: the results of a tile from plane `z_begin` to before `z_end`.
struct PassJob {
  int x = 0,
      y = 0; ///< of the tile's first point, halo included: beyond periodic faces it is negative
  int x_begin = 0, x_end = 0; ///< results, of all that the tile holds
  int y_begin = 0, y_end = 0;
  int z_begin = 0, z_end = 0;
  int at_edge = 0; ///< 1: the tile holds points that no sweep computes
};

/// The shape of tiles, with their halos.
struct PassTiles {
  int x = 0, y = 0; ///< points of a tile
  int halo = 0;     ///< of these, those on each side that later sweeps lose; planes alike
  int radius = 1;   ///< points of the field's own shell
  int sector = 1;   ///< elements that memory writes at a time
  int piece = 1;    ///< elements that copies begin at a multiple of
  bool around_x = false, around_y = false; ///< periodic: the field goes on beyond its ends
};

/// Planes at the ends of a field in z that are computed elsewhere.
struct PassEnds {
  Index low = 0, high = 0;
};

/// Every point within the shell of a field of these extents, but for those ends, in exactly one
/// job, in the order in which blocks take them: whole columns, those at the edge first, since they
/// take longer, and neighbours at the same time. The last columns are cut, into shorter and shorter
/// pieces, so that all blocks end together.
[[nodiscard]] std::vector<PassJob> plan_pass(const PassTiles& tiles, Index3 extents, int blocks,
                                             const PassEnds& without = {});

} // namespace ridge::stencil
