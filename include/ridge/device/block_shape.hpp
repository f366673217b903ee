// The shape of a thread block as a schedule field: `block=256x1x1`.
#pragma once

#include <ridge/device/lane.hpp>

#include <string>
#include <string_view>

namespace ridge {

/// Threads along x, y and z.
struct BlockShape : Dim3 {
  static constexpr std::string_view form = "AxBxC with 1 to 1024 threads in all";
  [[nodiscard]] constexpr bool possible() const {
    return x >= 1 && y >= 1 && z >= 1 && x <= 1024 && y <= 1024 && z <= 64 && count() <= 1024;
  }
  friend constexpr bool operator==(const BlockShape&, const BlockShape&) = default;
};

[[nodiscard]] std::string to_text(const BlockShape& block);
/// False when `text` is not of the form AxBxC.
[[nodiscard]] bool from_text(std::string_view text, BlockShape& block);

} // namespace ridge
