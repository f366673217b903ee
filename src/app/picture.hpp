// Pictures of fields.
#pragma once

#include <ridge/core/extents.hpp>

#include "../io/output_plan.hpp"

#include <filesystem>
#include <vector>

namespace ridge::app {

/// Writes a PNG of nz rows of nx values, the first row at the bottom, `height` times as high as
/// wide: blue where they are negative, white where 0, red where positive. `file` is one of the
/// plan. Throws Failure.
void write_picture(const io::OutputPlan& plan, const std::filesystem::path& file,
                   const std::vector<double>& values, Index nx, Index nz, double height);

} // namespace ridge::app
