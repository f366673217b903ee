// XDMF: the small XML file beside an HDF5 file that tells ParaView how to show it.
#pragma once

#include <ridge/core/extents.hpp>

#include <array>
#include <string>
#include <vector>

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

/// Datasets of the same points at several times, each in a file of its own.
struct XdmfSeries {
  std::string name;
  Extents extents;               ///< x first
  std::array<double, 3> spacing; ///< x first
  int element_bytes = 8;
  std::vector<double> times;
  std::vector<std::string> references; ///< FILE.h5:/path, relative to the XDMF file
  struct Another {
    std::string name;
    std::vector<std::string> references;
  };
  std::vector<Another> more = {};
};
[[nodiscard]] std::string xdmf_text(const XdmfSeries& series);
/// Several of them side by side.
[[nodiscard]] std::string xdmf_text(const std::vector<XdmfSeries>& all);

/// A series in time of `grids`, elements of XML.
[[nodiscard]] std::string xdmf_collection_text(const std::string& name, const std::string& grids);

/// Bodies at several times, each in an HDF5 file with the datasets position, velocity, potential
/// and mass.
struct XdmfBodies {
  Index count;
  int position_bytes;
  int element_bytes; ///< of velocity and potential; mass has 8
  const std::vector<double>& times;
  const std::vector<std::string>& files; ///< relative to the XDMF file
};

/// The whole file: a series in time of points.
[[nodiscard]] std::string xdmf_points_text(const XdmfBodies& bodies);

} // namespace ridge::app
