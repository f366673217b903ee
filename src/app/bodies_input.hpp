// Bodies from the user's file.
#pragma once

#include "../spatial/host_bodies.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::app {

/// Reads FILE.h5, FILE.h5:/group or FILE.csv. HDF5: `position` and `velocity` of N x 3 values and
/// `mass` of N; or x, y, z, vx, vy, vz of N values each and `m` or `mass`. CSV: a line of names,
/// among them x, y, z, vx, vy, vz and m, then a line a body; empty lines and those that begin with
/// # are passed over. Throws UsageError that says what is missing or wrong and where, Failure when
/// a file cannot be read. `position` is the name of that dataset.
[[nodiscard]] spatial::Bodies read_bodies(std::string_view file,
                                          const std::string& position = "position");
/// Adds to `files` those that were read.
[[nodiscard]] spatial::Bodies read_bodies(std::string_view file,
                                          std::vector<std::filesystem::path>& files,
                                          const std::string& position = "position");

/// One value a body: the dataset of that name in FILE.h5:/group. Throws as read_bodies does.
[[nodiscard]] std::vector<double> read_body_values(std::string_view file,
                                                   const std::string& dataset);

/// Bodies of a CSV file. Throws UsageError, with line and column, for what is not right.
[[nodiscard]] spatial::Bodies read_csv_bodies(std::string_view file);
/// Whether `file` names a CSV file: whatever ends in .csv.
[[nodiscard]] bool is_csv(std::string_view file);

/// Throws UsageError for 2^31 bodies and more where a tree or lists are over them, and Failure
/// where the host has no memory for places, speeds and masses, with the need and what there is.
void require_room(Index bodies, bool sorted);

/// What `read_bodies` takes, for --help.
[[nodiscard]] const char* bodies_help();

} // namespace ridge::app
