// Conditions beyond the faces of the arrays of a system, as plain data.
//
// Along an axis, point i of an array lies at i + half / 2 spacings: `half` is 1 for arrays that are
// half a point behind the others, -1 for those with one point more than the range, which lie on the
// faces of its cells. A wall reflects about a place: u(i) is a sign times u at the mirrored place.
#pragma once

#include <ridge/chain/access.hpp>
#include <ridge/core/index.hpp>

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::chain {

/// Where the points of an array lie, and what a mirror makes of it.
struct Placement {
  Offset half;              ///< in half spacings: -1, 0 or 1
  Offset mirrored{1, 1, 1}; ///< the sign of its image in a mirror across each axis
  friend constexpr bool operator==(const Placement&, const Placement&) = default;
};
/// The place of an array with that many points more than the range: half a point before the others
/// along dimensions in which it has one more. Signs are such that derivatives of even arrays are
/// odd.
constexpr Placement placement_of(Offset half) {
  const auto sign = [](int h) { return h == 0 ? 1 : -1; };
  return {half, {sign(half.x), sign(half.y), sign(half.z)}};
}
constexpr Placement usual_placement(const Array& array) {
  const auto of = [](int extra) { return extra == 1 ? -1 : 0; };
  return placement_of(Offset{of(array.extra.x), of(array.extra.y), of(array.extra.z)});
}

/// A field that users give, and its value where they do not; NaN: they must.
struct SystemField {
  const char* name;
  double value = std::numeric_limits<double>::quiet_NaN();
};

enum class Wall {
  mirror,     ///< half a point before the first of the range: even arrays have no point on it
  antimirror, ///< at the first point of the range, with the opposite signs
  periodic,   ///< both faces of the axis
  dirichlet,  ///< at the first point of the range: there u = V, odd beyond it
  neumann,    ///< there du/dn = G along the outward normal, even beyond it
  untouched,  ///< points beyond keep 0
  free        ///< at the first point: no traction (FreeFaces)
};
constexpr auto enum_names(Wall) {
  return std::array<std::string_view, 7>{"mirror",  "antimirror", "periodic", "dirichlet",
                                         "neumann", "untouched",  "free"};
}

/// Arrays of an elastic system by number, for faces without traction: stresses that act on such a
/// face are odd about its points; velocities go on with the slopes for which no stress is there,
///   dv_n/dn = -lambda / (lambda + 2 mu) (dv_e/de + dv_f/df),   dv_e/dn = -dv_n/de.
struct FreeFaces {
  std::array<int, 3> velocities;
  int lambda, mu;
  std::array<std::array<int, 3>, 3> tractions; ///< by the axis of the face
  [[nodiscard]] constexpr bool acts(int array, int axis) const {
    bool found = false;
    for (const int one : tractions[static_cast<std::size_t>(axis)])
      found = found || one == array;
    return found;
  }
};

/// The condition at one face of one array.
struct WallCondition {
  Wall kind = Wall::mirror;
  double value = 0; ///< of dirichlet and neumann
  friend bool operator==(const WallCondition&, const WallCondition&) = default;
};

/// The walls of one array: by axis, then low and high.
using ArrayWalls = std::array<std::array<WallCondition, 2>, 3>;

/// Reads a list of [ARRAY.]AXIS[-|+]=CONDITION, separated by commas, for arrays of these names;
/// what names an array counts before what does not. Faces that are not named are mirrors. Throws
/// UsageError for an array, axis or condition that there is not, a face given twice, and periodic
/// on one face, or periodic and free for one array alone.
[[nodiscard]] std::vector<ArrayWalls> parse_walls(std::string_view text,
                                                  const std::vector<std::string>& arrays);

} // namespace ridge::chain
