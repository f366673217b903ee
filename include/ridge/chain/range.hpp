// The range of a chain: up to three dimensions that its operations read along, and up to three
// around them, over whose items they are repeated.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

namespace ridge::chain {

/// Most outer dimensions.
inline constexpr int most_outer = 3;

/// Items along each dimension. An instance is what lies at one place of the outer dimensions.
struct Range : Index3 {
  Index outer[most_outer] = {1, 1, 1}; ///< the fourth dimension to the sixth, if there are three

  constexpr Range() = default;
  constexpr Range(const Index3& n) : Index3(n) {} // NOLINT(google-explicit-constructor)
  constexpr Range(Index x_, Index y_, Index z_, Index first = 1, Index second = 1, Index third = 1)
      : Index3{x_, y_, z_}, outer{first, second, third} {}

  [[nodiscard]] constexpr Index instances() const { return outer[0] * outer[1] * outer[2]; }
  [[nodiscard]] constexpr Index items() const { return x * y * z * instances(); }
};

/// Where the items that an executor computes are along the outer dimensions. Executors know three
/// dimensions: instances follow each other along the last of these, or are taken one by one.
struct Instance {
  static constexpr Index apart = Index{1} << 62;
  Index wrap = apart; ///< items of the last inner dimension in an instance, where another follows
  Index number = 0;   ///< of the instance that begins at item 0
  Index outer[most_outer] = {1, 1, 1};

  /// The place of item i within its instance, along the last inner dimension.
  [[nodiscard]] RIDGE_FN Index inside(Index i) const { return wrap == apart ? i : i % wrap; }
  /// The place of that item along outer dimension k.
  [[nodiscard]] RIDGE_FN Index along(int k, Index i) const {
    Index at = number + (wrap == apart ? 0 : i / wrap);
    for (int d = 0; d < k; ++d)
      at /= outer[d];
    return at % outer[k];
  }
};

/// In place of an Instance, where a chain has no outer dimensions.
struct OneInstance {};

} // namespace ridge::chain
