// Pictures of fields.
#pragma once

#include <ridge/core/extents.hpp>

#include <filesystem>
#include <vector>

namespace ridge::app {

/// Writes a PNG of nz rows of nx values, the first row at the bottom, `height` times as high as
/// wide: blue where they are negative, white where 0, red where positive. Throws Failure.
void write_picture(const std::filesystem::path& file, const std::vector<double>& values, Index nx,
                   Index nz, double height);

} // namespace ridge::app
