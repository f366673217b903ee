// Values of chain schedule fields: which operations run together, and tile sizes.
#pragma once

#include <ridge/chain/range.hpp>
#include <ridge/core/extents.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ridge::chain {

/// Which operations run tile by tile together: `all`, `none`, or ranges such as `2+3` or
/// `1+2,3+4+5`, counted from 1; operations not named run alone.
struct Fuse {
  /// Bit k: operations k and k + 1, counted from 0, are in one group.
  std::uint64_t joints = ~std::uint64_t{0};

  static constexpr std::string_view form = "all, none, or operations such as 2+3 or 1+2,3+4";
  [[nodiscard]] constexpr bool possible() const { return true; }
  /// Whether operations k and k + 1 are in one group.
  [[nodiscard]] constexpr bool joins(int k) const { return k > 62 || (joints >> k & 1) != 0; }
  /// The largest operation named, counted from 1; 0 for `all` and `none`.
  [[nodiscard]] int largest() const;
  friend constexpr bool operator==(const Fuse&, const Fuse&) = default;
};
inline constexpr Fuse fuse_all{};
inline constexpr Fuse fuse_none{0};

[[nodiscard]] std::string to_text(const Fuse& fuse);
[[nodiscard]] bool from_text(std::string_view text, Fuse& fuse);

/// Items of a tile along each dimension, outer ones included; 0 stands for `all` of them.
struct TileShape {
  Index x = 0, y = 0, z = 0;
  Index outer[most_outer] = {unsaid, unsaid, unsaid};

  /// Outer dimensions that are left out: 1, and `all` where a tile is all of everything.
  static constexpr Index unsaid = -1;
  static constexpr std::string_view form = "AxBxC of 1 or more or `all`";
  [[nodiscard]] constexpr bool possible() const {
    return x >= 0 && y >= 0 && z >= 0 && outer[0] >= unsaid && outer[1] >= unsaid &&
           outer[2] >= unsaid;
  }
  /// The tile along dimension `d`, from 3 on an outer one.
  [[nodiscard]] constexpr Index along(int d) const {
    if (d < 3) return d == 0 ? x : d == 1 ? y : z;
    if (outer[d - 3] != unsaid) return outer[d - 3];
    return *this == TileShape{} ? 0 : 1;
  }
  friend constexpr bool operator==(const TileShape&, const TileShape&) = default;
};
/// "4096x1x1", "allx8x1", "4x4x72x2".
[[nodiscard]] std::string to_text(const TileShape& tile);
/// Dimensions left out are 1, and after a lone `all`, `all`. False for 0 and whatever is no size.
[[nodiscard]] bool from_text(std::string_view text, TileShape& tile);

} // namespace ridge::chain
