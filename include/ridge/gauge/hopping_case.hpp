// The hopping term of Wilson fermions as a site kernel, on random fields.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/pattern/case.hpp>

#include <memory>
#include <optional>
#include <string>

namespace ridge::gauge {

/// For fields of float or double; without `width`, that of the device's vectors. Throws UsageError
/// where the size is not of four dimensions.
[[nodiscard]] std::unique_ptr<Case> hopping_case(const std::string& name, int real_bytes,
                                                 const Device& device, const Extents& size,
                                                 std::optional<int> width);

} // namespace ridge::gauge
