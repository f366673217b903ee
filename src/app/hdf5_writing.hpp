// Writing groups, datasets and attributes of the files of runs.
#pragma once

#include <ridge/core/error.hpp>

#include "../io/hdf5_attribute.hpp"
#include "hdf5_handle.hpp"
#include "hdf5_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ridge::app {

/// A file that is written to, in calls that all must succeed.
class Writing {
public:
  Writing(Handle file, const std::filesystem::path& called)
      : file_(std::move(file)), called_(called) {
    require(static_cast<bool>(file_));
  }

  [[nodiscard]] const Handle& file() const { return file_; }

  void require(bool done) const {
    if (!done) throw Failure(fmt::format("writing {}: {}", called_.string(), hdf5_reason()));
  }
  template <class Value>
  void attribute(const Handle& object, const char* name, const Value& value) const {
    require(write_attribute(object, name, value));
  }
  /// N values, or N x 3 of them from three components, each shifted.
  template <std::size_t Width>
  void dataset(const std::string& path,
               const std::array<const std::vector<double>*, Width>& components, int element_bytes,
               const std::array<double, Width>& shift = {}) const {
    const hsize_t shape[2] = {components[0]->size(), Width};
    const int rank = Width == 1 ? 1 : 2;
    const Handle space(H5Screate_simple(rank, shape, nullptr), H5Sclose);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER); // every value will be written
    H5Pset_obj_track_times(layout.id(), false);
    Handle made(H5Dcreate2(file_.id(), path.c_str(), native_type(element_bytes), space.id(),
                           H5P_DEFAULT, layout.id(), H5P_DEFAULT),
                H5Dclose);
    require(static_cast<bool>(made));
    // Interleaved in pieces, so that little memory is needed.
    constexpr hsize_t most = 65536;
    std::vector<double> lines(std::min(most, shape[0]) * Width);
    for (hsize_t begin = 0; begin < shape[0]; begin += most) {
      const hsize_t start[2] = {begin, 0};
      const hsize_t count[2] = {std::min(most, shape[0] - begin), Width};
      for (std::size_t i = 0; i < count[0]; ++i) {
        for (std::size_t c = 0; c < Width; ++c)
          lines[i * Width + c] = (*components[c])[begin + i] + shift[c];
      }
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
      const Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
      require(H5Dwrite(made.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT,
                       lines.data()) >= 0);
    }
    require(made.close());
  }

private:
  Handle file_;
  const std::filesystem::path& called_;
};

/// As `Writing::dataset` takes components.
[[nodiscard]] inline std::array<const std::vector<double>*, 3>
pointers(const std::array<std::vector<double>, 3>& v) {
  return {&v[0], &v[1], &v[2]};
}

} // namespace ridge::app
