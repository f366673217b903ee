// Distances between neighbouring points of a grid.
#pragma once

namespace ridge {

/// Distance between neighbouring points along each axis.
struct Spacing {
  double x = 1, y = 1, z = 1;
};

} // namespace ridge
