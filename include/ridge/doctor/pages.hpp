// Where the pages of data lie.
#pragma once

#include <cstddef>
#include <optional>

namespace ridge::doctor {

/// Of up to some hundred pages of the data, spread evenly: the share on the fullest memory node,
/// times nodes. 1 on a machine of one node; nothing where the system does not tell.
[[nodiscard]] std::optional<double> node_share(const void* data, std::size_t bytes);

} // namespace ridge::doctor
