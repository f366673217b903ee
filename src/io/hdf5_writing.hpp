// Writing datasets, attributes and links of HDF5 files.
#pragma once

#include <ridge/core/error.hpp>

#include "hdf5_attribute.hpp"
#include "hdf5_error.hpp"
#include "hdf5_handle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ridge::io {

/// A file that is written to, in calls that all must succeed.
class Writing {
public:
  /// Makes `place`, which messages call `called`.
  Writing(const std::filesystem::path& place, std::filesystem::path called)
      : file_(H5Fcreate(place.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose),
        called_(std::move(called)) {
    require(static_cast<bool>(file_));
  }

  [[nodiscard]] const Handle& file() const { return file_; }
  [[nodiscard]] const std::filesystem::path& called() const { return called_; }

  void require(bool done) const {
    if (!done) throw Failure(fmt::format("writing {}: {}", called_.string(), hdf5_reason()));
  }
  template <class Value>
  void attribute(const std::string& name, const Value& value) const {
    require(write_attribute(file_, name, value));
  }
  /// Leads to a dataset of another file.
  void link(const std::filesystem::path& other, const std::string& name) const {
    require(H5Lcreate_external(other.c_str(), ("/" + name).c_str(), file_.id(), name.c_str(),
                               H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  /// Makes a dataset of fp32 (4) or fp64 (8), slowest dimension first. `fill(data, space)` writes
  /// all of its values.
  template <class F>
  void dataset(const std::string& name, const std::vector<hsize_t>& shape, int element_bytes,
               const F& fill) const {
    const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                       H5Sclose);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER); // every value will be written
    H5Pset_obj_track_times(layout.id(), false);         // the same run gives the same file
    Handle data(H5Dcreate2(file_.id(), name.c_str(),
                           element_bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, space.id(),
                           H5P_DEFAULT, layout.id(), H5P_DEFAULT),
                H5Dclose);
    require(static_cast<bool>(data));
    fill(data, space);
    require(data.close());
  }
  /// Of all its values.
  void dataset(const std::string& name, const std::vector<hsize_t>& shape, int element_bytes,
               const std::vector<double>& values) const {
    dataset(name, shape, element_bytes, [&](const Handle& data, const Handle& /*space*/) {
      require(H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                       values.data()) >= 0);
    });
  }
  /// N x 3 values from three components, each shifted.
  void vectors(const std::string& name, const std::array<std::vector<double>, 3>& components,
               int element_bytes, const std::array<double, 3>& shift = {}) const {
    const hsize_t n = components[0].size();
    dataset(name, {n, 3}, element_bytes, [&](const Handle& data, const Handle& space) {
      // Interleaved in pieces, so that little memory is needed.
      constexpr hsize_t most = 65536;
      std::vector<double> lines(std::min(most, n) * 3);
      for (hsize_t begin = 0; begin < n; begin += most) {
        const hsize_t start[2] = {begin, 0};
        const hsize_t count[2] = {std::min(most, n - begin), 3};
        for (std::size_t i = 0; i < count[0]; ++i) {
          for (std::size_t c = 0; c < 3; ++c)
            lines[i * 3 + c] = components[c][begin + i] + shift[c];
        }
        H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
        const Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
        require(H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT,
                         lines.data()) >= 0);
      }
    });
  }
  /// Brings everything to the file; without it the file is not complete.
  void close() { require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0 && file_.close()); }

private:
  Handle file_;
  std::filesystem::path called_;
};

} // namespace ridge::io
