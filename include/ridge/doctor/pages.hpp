// Where the pages of data lie.
#pragma once

#include <cstddef>
#include <optional>

namespace ridge::doctor {

/// The share on the fullest memory node, times nodes, from up to some hundred pages of the data
/// that are spread evenly. 1 on a machine of one node; nothing where the system does not tell.
[[nodiscard]] std::optional<double> node_share(const void* data, std::size_t bytes);

} // namespace ridge::doctor
