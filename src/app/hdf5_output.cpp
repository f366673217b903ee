#include "hdf5_output.hpp"

#include <ridge/core/error.hpp>

#include "hdf5_error.hpp"
#include "hdf5_input.hpp"

#include <fmt/format.h>

namespace ridge::app {

void OutputDataset::require(bool done) const {
  if (!done) throw Failure(fmt::format("writing {}: {}", called_, hdf5_reason()));
}

OutputDataset::OutputDataset(const std::filesystem::path& file, const std::string& path,
                             std::string called, const std::vector<Index>& shape, hid_t type)
    : called_(std::move(called)) {
  quiet_hdf5();
  file_ = {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose};
  require(static_cast<bool>(file_));

  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  space_ = {H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose};
  const Handle stored_type(H5Tcopy(type), H5Tclose);
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(groups.id(), 1);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER); // every point will be written
  H5Pset_obj_track_times(layout.id(), false);         // the same input gives the same file
  dataset_ = {H5Dcreate2(file_.id(), path.c_str(), stored_type.id(), space_.id(), groups.id(),
                         layout.id(), H5P_DEFAULT),
              H5Dclose};
  require(static_cast<bool>(dataset_));
}

void OutputDataset::write(const Piece& piece, const void* from, int element_bytes) {
  const Handle memory = select(piece, space_);
  require(H5Dwrite(dataset_.id(), native_type(element_bytes), memory.id(), space_.id(), H5P_DEFAULT,
                   from) >= 0);
}

void OutputDataset::describe(const std::string& attribute, hid_t type, const Handle& space,
                             const void* value) {
  Handle made(
      H5Acreate2(dataset_.id(), attribute.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  require(made && H5Awrite(made.id(), type, value) >= 0 && made.close());
}

void OutputDataset::describe(const std::string& attribute, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const char* const value = text.c_str();
  describe(attribute, type.id(), Handle(H5Screate(H5S_SCALAR), H5Sclose), &value);
}

void OutputDataset::describe(const std::string& attribute, const std::vector<double>& numbers) {
  const hsize_t count = numbers.size();
  describe(attribute, H5T_NATIVE_DOUBLE, Handle(H5Screate_simple(1, &count, nullptr), H5Sclose),
           numbers.data());
}

void OutputDataset::describe(const std::string& attribute, const std::vector<int>& numbers) {
  const hsize_t count = numbers.size();
  describe(attribute, H5T_NATIVE_INT, Handle(H5Screate_simple(1, &count, nullptr), H5Sclose),
           numbers.data());
}

void OutputDataset::close() {
  require(dataset_.close());
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
  require(file_.close());
}

} // namespace ridge::app
