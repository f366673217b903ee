// Lattices and how their sites lie in memory: an array of structures of vectors.
//
// The lanes of a vector are sites of equal position in `lanes` equal boxes of the lattice. Sites of
// one position in all boxes are a group; groups follow each other with x fastest. Each component of
// a group's tensor is one vector of `width` bytes: number after number, lane after lane.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/lattice/geometry.hpp>

#include <string>

namespace ridge::lattice {

/// Extents, 1 to 5 dimensions, and the bytes of a vector.
class Lattice {
public:
  static constexpr int default_width = 64;

  /// Throws UsageError for a width that is not 64, 128, 256, 512 or 1024.
  explicit Lattice(const Extents& extents, int width = default_width);

  [[nodiscard]] const Extents& extents() const { return extents_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] Index sites() const { return extents_.count(); }
  /// Where sites with numbers of `number_bytes` lie: width / number_bytes lanes. Throws UsageError
  /// that names extents which would do when these cannot be cut into so many equal boxes.
  [[nodiscard]] Geometry geometry(int number_bytes) const;

  friend bool operator==(const Lattice&, const Lattice&) = default;

private:
  Extents extents_;
  int width_;
};

/// "32x32x32x64", and its width where that is not 64.
[[nodiscard]] std::string to_text(const Lattice& lattice);

/// Throws UsageError unless 0 <= d < the rank; `what` is what asks.
void check_dimension(const Lattice& lattice, int d, std::string_view what);

} // namespace ridge::lattice
