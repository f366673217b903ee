#include "hdf5_output.hpp"

#include <ridge/core/error.hpp>

#include "hdf5_handle.hpp"
#include "hdf5_input.hpp"

#include <fmt/format.h>

namespace ridge::app {

void OutputDataset::require(bool done) const {
  if (!done) throw Failure(fmt::format("writing {}: {}", called_, hdf5_reason()));
}

namespace {

Handle new_file(const std::filesystem::path& file) {
  quiet_hdf5();
  return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose};
}

} // namespace

OutputDataset::OutputDataset(std::string called, Handle file, const std::vector<Index>& shape,
                             hid_t type)
    : called_(std::move(called)), file_(std::move(file)) {
  require(static_cast<bool>(file_));
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  space_ = {H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose};
  type_ = {H5Tcopy(type), H5Tclose};
}

OutputDataset::OutputDataset(const std::filesystem::path& file, const std::string& path,
                             std::string called, const std::vector<Index>& shape, hid_t type)
    : OutputDataset(std::move(called), new_file(file), shape, type) {
  create(path);
}

OutputDataset::OutputDataset(const Handle& file, const std::string& path, std::string called,
                             const std::vector<Index>& shape, hid_t type)
    : OutputDataset(std::move(called), borrowed(file), shape, type) {
  create(path);
}

void OutputDataset::next(const std::string& path) {
  require(dataset_.close());
  create(path);
}

void OutputDataset::create(const std::string& path) {
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(groups.id(), 1);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER); // every point will be written
  H5Pset_obj_track_times(layout.id(), false);         // the same input gives the same file
  dataset_ = {H5Dcreate2(file_.id(), path.c_str(), type_.id(), space_.id(), groups.id(),
                         layout.id(), H5P_DEFAULT),
              H5Dclose};
  require(static_cast<bool>(dataset_));
}

void OutputDataset::write(const Piece& piece, const void* from, int element_bytes) {
  const Handle memory = select(piece, space_);
  require(H5Dwrite(dataset_.id(), native_type(element_bytes), memory.id(), space_.id(), H5P_DEFAULT,
                   from) >= 0);
}

void OutputDataset::close() {
  require(dataset_.close());
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
  require(file_.close());
}

} // namespace ridge::app
