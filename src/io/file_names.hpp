// Names of the files that a run leaves beside its HDF5 file. They keep all of its name but an
// ending that says HDF5: runs of `heat_dt0.1` and `heat_dt0.05` share no file.
#pragma once

#include <ridge/core/extents.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ridge::io {

/// "run" of run.h5, run.hdf5, run.hdf and run.he5; any other name as it is.
[[nodiscard]] std::filesystem::path without_hdf5(const std::filesystem::path& file);

/// FILE.png of FILE.h5, where `ending` is ".png".
[[nodiscard]] std::filesystem::path beside(const std::filesystem::path& file,
                                           std::string_view ending);

/// FILE.xdmf of FILE.h5. Throws UsageError when `file` itself ends so.
[[nodiscard]] std::filesystem::path xdmf_beside(const std::filesystem::path& file);

/// FILE.0000000100.h5 of FILE.h5 and step 100.
[[nodiscard]] std::filesystem::path snapshot_beside(const std::filesystem::path& file, Index step);

/// "0000000100".
[[nodiscard]] std::string number_of(Index step);

/// "FILE" of a file's name such as FILE.0000000100.h5; nothing for names of other forms.
[[nodiscard]] std::optional<std::string> stem_of_snapshot(const std::string& name);

} // namespace ridge::io
