// 64-bit indices, and points in three dimensions, as kernels see them.
#pragma once

#include <cstdint>

namespace ridge {

/// Every index and count at an interface is 64-bit.
using Index = std::int64_t;

/// The most dimensions a field may have.
inline constexpr int max_rank = 5;

/// Parts of size `part` that hold `whole`, the last one perhaps short.
[[nodiscard]] constexpr Index ceil_div(Index whole, Index part) {
  return (whole + part - 1) / part;
}

/// A point or an offset in three dimensions, as kernels see it.
struct Index3 {
  Index x = 0, y = 0, z = 0;
  friend constexpr bool operator==(const Index3&, const Index3&) = default;
};

} // namespace ridge
