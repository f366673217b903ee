#include "hdf5_input.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"
#include "hdf5_describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

/// Components separated by one slash each, as HDF5 reads them: empty ones and "." mean nothing.
std::string normalised(std::string_view path) {
  std::string absolute;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, slash);
    if (!component.empty() && component != ".") absolute.append(1, '/').append(component);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return absolute;
}

} // namespace

std::string to_text(const DatasetName& name) {
  return fmt::format("{}:{}", name.file.string(), name.path);
}

DatasetName parse_dataset_name(std::string_view text, std::string_view what) {
  auto colon = text.rfind(":/");
  if (colon == std::string_view::npos) colon = text.rfind(':');
  DatasetName name;
  name.file = text.substr(0, colon);
  if (colon != std::string_view::npos) name.path = normalised(text.substr(colon + 1));
  refuse_if(name.file.empty(),
            "{} '{}' names no file; the form is FILE.h5:/path, such as volume.h5:/u", what, text);
  return name;
}

hid_t native_type(int element_bytes) {
  return element_bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

Handle select(const Piece& piece, const Handle& file_space) {
  const std::vector<hsize_t> start(piece.start.begin(), piece.start.end());
  const std::vector<hsize_t> count(piece.count.begin(), piece.count.end());
  H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                      nullptr);
  return {H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose};
}

Handle open_hdf5(const fs::path& path) {
  quiet_hdf5();
  const std::string file = path.string();
  std::error_code why;
  const auto status = fs::status(path, why);
  refuse_if(status.type() == fs::file_type::not_found, "there is no file {}", file);
  if (why) throw Failure(fmt::format("reading {}: {}", file, why.message()));
  refuse_if(status.type() == fs::file_type::directory, "{} is a folder; give FILE.h5:/path", file);
  refuse_if(status.type() != fs::file_type::regular, "{} is not a file that HDF5 can read", file);
  const htri_t is_hdf5 = H5Fis_hdf5(file.c_str());
  refuse_if(is_hdf5 == 0, "{} is not an HDF5 file", file);
  Handle opened;
  if (is_hdf5 > 0) opened = {H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  if (!opened) throw Failure(fmt::format("reading {}: {}", file, hdf5_reason()));
  return opened;
}

InputDataset::InputDataset(DatasetName name) : name_(std::move(name)) {
  file_ = open_hdf5(name_.file);
  open_dataset();
  find_type();
  find_shape();
}

void InputDataset::open_dataset() {
  const auto refuse = [&](bool wrong, const std::string& what) { // the list takes time
    if (wrong)
      throw UsageError(
          fmt::format("{} {} has {}", what, name_.file.string(), list_of(datasets_in(file_))));
  };
  refuse(name_.path.empty(),
         fmt::format("'{}' names no dataset; the form is FILE.h5:/path, and", name_.file.string()));
  Handle object(H5Oopen(file_.id(), name_.path.c_str(), H5P_DEFAULT), H5Oclose);
  refuse(!object, fmt::format("there is no dataset {}:", name_.path));
  refuse(H5Iget_type(object.id()) != H5I_DATASET, fmt::format("{} is not a dataset:", name_.path));
  (void)object.close();
  files_ = sources_of(file_, name_);
  if (std::find(files_.begin(), files_.end(), name_.file) == files_.end())
    files_.push_back(name_.file); // which leads to the file of the dataset
  dataset_ = {H5Dopen2(file_.id(), name_.path.c_str(), H5P_DEFAULT), H5Dclose};
  space_ = {H5Dget_space(dataset_.id()), H5Sclose};
  type_ = {H5Dget_type(dataset_.id()), H5Tclose};
  if (!dataset_ || !space_ || !type_) {
    throw Failure(fmt::format("reading {}: {}", to_text(name_), hdf5_reason()));
  }
}

void InputDataset::find_type() {
  const auto is = [&](hid_t type) { return H5Tequal(type_.id(), type) > 0; };
  if (is(H5T_IEEE_F32LE) || is(H5T_IEEE_F32BE)) element_bytes_ = 4;
  if (is(H5T_IEEE_F64LE) || is(H5T_IEEE_F64BE)) element_bytes_ = 8;
  refuse_if(element_bytes_ == 0, "{} holds {}; fp32 and fp64 are taken, so convert it first",
            to_text(name_), describe_type(type_.id()));
}

void InputDataset::find_shape() {
  const int rank = H5Sget_simple_extent_ndims(space_.id());
  refuse_if(H5Sget_simple_extent_type(space_.id()) != H5S_SIMPLE || rank < 1 || rank > 3,
            "{} has {} dimensions; 1 to 3 are taken", to_text(name_), std::max(rank, 0));
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space_.id(), sizes.data(), nullptr);
  shape_.assign(sizes.begin(), sizes.end());
  const std::vector<Index> x_first(shape_.rbegin(), shape_.rend());
  try {
    extents_ = Extents(x_first.data(), rank);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", to_text(name_), error.what()));
  }

  const Handle layout(H5Dget_create_plist(dataset_.id()), H5Pclose);
  if (H5Pget_layout(layout.id()) == H5D_CHUNKED) {
    H5Pget_chunk(layout.id(), rank, sizes.data());
    chunk_.assign(sizes.begin(), sizes.end());
  }
  require_filters(layout);
  pieces_ = pieces_of(shape_, chunk_, element_bytes_);
}

std::vector<Piece> InputDataset::pieces_in(const Index3& begin, const Index3& extents) const {
  const Index first[3] = {begin.x, begin.y, begin.z};
  const Index count[3] = {extents.x, extents.y, extents.z};
  const std::size_t rank = shape_.size();
  std::vector<Index> box(rank);
  for (std::size_t d = 0; d < rank; ++d)
    box[d] = count[rank - 1 - d];
  std::vector<Piece> pieces = pieces_of(box, chunk_, element_bytes_);
  for (Piece& piece : pieces) {
    for (std::size_t d = 0; d < rank; ++d)
      piece.start[d] += first[rank - 1 - d];
  }
  return pieces;
}

void InputDataset::require_filters(const Handle& layout) const {
  for (int i = 0; i < H5Pget_nfilters(layout.id()); ++i) {
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter =
        H5Pget_filter2(layout.id(), static_cast<unsigned>(i), nullptr, &values, nullptr,
                       name.size() - 1, name.data(), nullptr);
    if (H5Zfilter_avail(filter) <= 0) {
      throw Failure(fmt::format("reading {}: it is compressed by filter {} ({}), which the HDF5 "
                                "library here does not have; gzip is one it has",
                                to_text(name_), static_cast<int>(filter), name.data()));
    }
  }
}

void InputDataset::read(const Piece& piece, void* to) const {
  const Handle memory = select(piece, space_);
  if (H5Dread(dataset_.id(), native_type(element_bytes_), memory.id(), space_.id(), H5P_DEFAULT,
              to) < 0) {
    throw Failure(fmt::format("reading {}: {}", to_text(name_), hdf5_reason()));
  }
}

} // namespace ridge::app
