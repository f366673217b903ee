// Texts that are attributes of HDF5 objects.
#pragma once

#include "hdf5_handle.hpp"

#include <optional>
#include <string>

namespace ridge::io {

/// The attribute when it is a single text, of a fixed or a variable length, in any of the encodings
/// that HDF5 knows.
[[nodiscard]] std::optional<std::string> text_attribute(const Handle& object,
                                                        const std::string& name);

} // namespace ridge::io
