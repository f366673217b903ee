// Attributes of HDF5 objects.
#pragma once

#include <ridge/core/extents.hpp>

#include "hdf5_handle.hpp"

#include <string>
#include <vector>

namespace ridge::io {

/// False when the library could not write it.
[[nodiscard]] bool write_attribute(const Handle& object, const std::string& name,
                                   const std::string& text);
[[nodiscard]] bool write_attribute(const Handle& object, const std::string& name,
                                   const std::vector<double>& numbers);
[[nodiscard]] bool write_attribute(const Handle& object, const std::string& name,
                                   const std::vector<int>& numbers);
[[nodiscard]] bool write_attribute(const Handle& object, const std::string& name, double number);
[[nodiscard]] bool write_attribute(const Handle& object, const std::string& name, Index number);

/// False when there is none of this name, or it is of another kind.
[[nodiscard]] bool read_attribute(const Handle& object, const std::string& name, std::string& text);
[[nodiscard]] bool read_attribute(const Handle& object, const std::string& name, double& number);
[[nodiscard]] bool read_attribute(const Handle& object, const std::string& name, Index& number);

} // namespace ridge::io
