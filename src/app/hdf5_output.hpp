// The dataset a command writes.
#pragma once

#include "../io/hdf5_attribute.hpp"
#include "hdf5_handle.hpp"
#include "pieces.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::app {

/// A dataset in a new HDF5 file.
class OutputDataset {
public:
  /// Creates `file` with the dataset `path`, and the groups it is in, of the stored type `type`;
  /// `shape` is slowest dimension first. Messages call the file `called`. Throws Failure.
  OutputDataset(const std::filesystem::path& file, const std::string& path, std::string called,
                const std::vector<Index>& shape, hid_t type);
  /// The same in a file that is open, and that its owner closes.
  OutputDataset(const Handle& file, const std::string& path, std::string called,
                const std::vector<Index>& shape, hid_t type);

  /// Closes this dataset and goes on with another of the same shape and type. Throws Failure.
  void next(const std::string& path);

  /// Writes a piece given in this machine's byte order. Throws Failure.
  void write(const Piece& piece, const void* from, int element_bytes);

  /// An attribute of the dataset: a text, or several numbers. Throws Failure.
  template <class Value>
  void describe(const std::string& attribute, const Value& value) {
    require(write_attribute(dataset_, attribute, value));
  }

  /// Brings everything to the file. Throws Failure; without it the file is not complete.
  void close();

private:
  OutputDataset(std::string called, Handle file, const std::vector<Index>& shape, hid_t type);
  void require(bool done) const;
  void create(const std::string& path);

  std::string called_;
  Handle file_, dataset_, space_, type_;
};

} // namespace ridge::app
