// Saying what an HDF5 file holds, for messages.
#pragma once

#include "hdf5_handle.hpp"

#include <string>
#include <vector>

namespace ridge::app {

/// The paths of all datasets of a file, in the order of their names.
[[nodiscard]] std::vector<std::string> datasets_in(const Handle& file);

/// The names of a group that lead to datasets, by whatever kind of link, or to nothing; in order.
/// None where there is no such group. `group` is absolute; empty is the root.
[[nodiscard]] std::vector<std::string> names_in(const Handle& file, const std::string& group);

/// "the datasets /u, /v and 3 more", "the dataset /u" or "no dataset".
[[nodiscard]] std::string list_of(const std::vector<std::string>& datasets);

/// "16-bit signed integers", "strings", ...
[[nodiscard]] std::string describe_type(hid_t type);

} // namespace ridge::app
