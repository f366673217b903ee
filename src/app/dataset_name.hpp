// How the command line names a dataset: FILE.h5:/path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ridge::app {

/// A dataset in an HDF5 file.
struct DatasetName {
  std::filesystem::path file;
  std::string path; ///< absolute, one slash between components; empty when the user gave none
};

/// "FILE.h5:/path".
[[nodiscard]] std::string to_text(const DatasetName& name);

/// Splits at the last ":/", or at the last ":" when there is none. Throws UsageError, naming
/// `what`, when the file is missing.
[[nodiscard]] DatasetName parse_dataset_name(std::string_view text, std::string_view what);

} // namespace ridge::app
