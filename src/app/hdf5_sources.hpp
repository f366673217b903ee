// Where the values of a dataset lie: its own file, external files, the sources of a virtual one.
#pragma once

#include "dataset_name.hpp"
#include "hdf5_handle.hpp"

#include <filesystem>
#include <vector>

namespace ridge::app {

/// All files that reading a dataset takes values from. Throws UsageError when one is missing or
/// holds less than the dataset takes from it: HDF5 would read zeros there and not say so. The
/// dataset must not be open: how much of a growing virtual one there is, is asked in two ways.
[[nodiscard]] std::vector<std::filesystem::path> sources_of(const Handle& file,
                                                            const DatasetName& name);

} // namespace ridge::app
