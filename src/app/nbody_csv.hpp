// Bodies from a CSV file; see nbody_input.hpp.
#pragma once

#include <nbody/bodies.hpp>

#include <string_view>

namespace ridge::app {

/// Throws UsageError, with line and column, for what is not right.
[[nodiscard]] nbody::Bodies read_csv_bodies(std::string_view file);

} // namespace ridge::app
