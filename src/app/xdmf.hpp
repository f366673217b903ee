// XDMF: the small XML file beside an HDF5 file that tells ParaView how to show it.
#pragma once

#include <ridge/core/extents.hpp>

#include <array>
#include <string>

namespace ridge::app {

/// A dataset on a uniform grid.
struct XdmfGrid {
  std::string name;              ///< of the field
  std::string reference;         ///< FILE.h5:/path, relative to the XDMF file
  Extents extents;               ///< x first
  std::array<double, 3> spacing; ///< x first
  int element_bytes = 8;
};

/// The whole file. Grids of one and two dimensions become flat three-dimensional ones: the readers
/// of ParaView turn the axes of two-dimensional grids.
[[nodiscard]] std::string xdmf_text(const XdmfGrid& grid);

} // namespace ridge::app
