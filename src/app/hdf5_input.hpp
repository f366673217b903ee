// The dataset a command reads, and how the command line names it: FILE.h5:/path.
#pragma once

#include "hdf5_handle.hpp"
#include "pieces.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

/// An open HDF5 dataset of one to three dimensions of fp32 or fp64 in any byte order.
class InputDataset {
public:
  /// Throws UsageError that says what would be right when there is no such file or dataset, when
  /// its rank or type is another, or when files that hold its values lack some; Failure when the
  /// file cannot be read.
  explicit InputDataset(DatasetName name);

  [[nodiscard]] const DatasetName& name() const { return name_; }
  /// All files that its values lie in, and that which leads to them.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }
  /// x first: the fastest dimension, HDF5's last.
  [[nodiscard]] const Extents& extents() const { return extents_; }
  /// HDF5's order, slowest first.
  [[nodiscard]] const std::vector<Index>& shape() const { return shape_; }
  /// 4 for fp32, 8 for fp64.
  [[nodiscard]] int element_bytes() const { return element_bytes_; }
  /// As stored in the file.
  [[nodiscard]] hid_t type() const { return type_.id(); }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  /// Those of a box, x first: their elements are counted in the box as it is packed.
  [[nodiscard]] std::vector<Piece> pieces_in(const Index3& begin, const Index3& extents) const;

  /// Reads a piece in this machine's byte order. Throws Failure.
  void read(const Piece& piece, void* to) const;

private:
  void open_dataset();
  void find_shape();
  void find_type();
  void require_filters(const Handle& layout) const;

  DatasetName name_;
  std::vector<std::filesystem::path> files_;
  Handle file_, dataset_, space_, type_;
  Extents extents_;
  std::vector<Index> shape_, chunk_;
  int element_bytes_ = 0;
  std::vector<Piece> pieces_;
};

/// All files that reading a dataset takes values from. Throws UsageError when one is missing or
/// holds less than the dataset takes from it: HDF5 would read zeros there and not say so. The
/// dataset must not be open: how much of a growing virtual one there is, is asked in two ways.
[[nodiscard]] std::vector<std::filesystem::path> sources_of(const Handle& file,
                                                            const DatasetName& name);

/// Opens an HDF5 file to read. Throws UsageError when there is none, Failure when it is damaged.
[[nodiscard]] Handle open_hdf5(const std::filesystem::path& file);

/// The native HDF5 type of fp32 (4) or fp64 (8).
[[nodiscard]] hid_t native_type(int element_bytes);

/// Selects the piece in `file_space`; returns the memory space of its elements.
[[nodiscard]] Handle select(const Piece& piece, const Handle& file_space);

} // namespace ridge::app
