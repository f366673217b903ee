// Extents of a field and 64-bit indices into it. The first extent (x) is contiguous in memory.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

#include <array>
#include <string>
#include <string_view>

namespace ridge {

/// The name of dimension `d`, one of the first three, in messages.
[[nodiscard]] constexpr const char* axis_name(int d) {
  constexpr const char* names[] = {"x", "y", "z"};
  return names[d];
}

/// How many points a field has along each dimension; 1 to 5 dimensions, x first.
class Extents {
public:
  Extents() = default;

  /// Throws UsageError for no or more than five dimensions, an extent below 1, or a product that
  /// does not fit in 62 bits.
  Extents(std::initializer_list<Index> sizes);
  Extents(const Index* sizes, int rank);

  [[nodiscard]] int rank() const { return rank_; }
  /// Extent along dimension `d`; 1 beyond the rank.
  [[nodiscard]] Index operator[](int d) const { return d < rank_ ? sizes_[d] : 1; }
  /// Number of points.
  [[nodiscard]] Index count() const;
  /// The first three extents; further dimensions must be 1 or absent.
  [[nodiscard]] Index3 xyz() const { return {(*this)[0], (*this)[1], (*this)[2]}; }

  friend bool operator==(const Extents&, const Extents&) = default;

private:
  void check() const;

  std::array<Index, max_rank> sizes_{};
  int rank_ = 0;
};

/// `NXxNYxNZ`, as the command line writes it.
[[nodiscard]] std::string to_text(const Extents& extents);

/// Reads `512`, `512x256`, `512x512x512`, … Throws UsageError naming `what` otherwise.
[[nodiscard]] Extents parse_extents(std::string_view text, std::string_view what = "size");

} // namespace ridge
