// Boundary conditions beyond the faces of a field, as plain data, one a face.
//
// The points of a field are its vertices. With h between them along an axis, u(-k) the k-th point
// beyond the low face and u(0) the face's own, and likewise at the high face:
//
//   untouched     the outermost radius of points keeps its values; there are none beyond
//   dirichlet:V   u(0) = V; beyond it is odd about the face: u(-k) = 2 V - u(k)
//   neumann:G     the derivative along the outward normal is G: u(-k) = u(k) + 2 k h G; of a kernel
//                 that takes k between points as the mean of both, (k(0) + k(1)) / 2 G flows in
//   mirror        a mirror half a point beyond the face: u(-k) = u(k - 1)
//   periodic      both faces of the axis: u(-k) = u(n - k)
//
// So stencils keep their order up to the faces. Beyond edges and corners the axes are taken one
// after the other, x innermost. A point on several Dirichlet faces has the value of z before y
// before x.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/stencil/footprint.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::stencil {

enum class Boundary { untouched, dirichlet, neumann, periodic, mirror };
constexpr auto enum_names(Boundary) {
  return std::array<std::string_view, 5>{"untouched", "dirichlet", "neumann", "periodic", "mirror"};
}

/// The condition at one face.
struct Condition {
  Boundary kind = Boundary::untouched;
  double value = 0; ///< of dirichlet and neumann
  /// dirichlet: the name of a field of values, as text gives it; empty where `value` holds all
  /// over.
  std::string field = {};
  /// Values of that field: one a point of the face, packed, in the order x, y, z without its own
  /// axis. Of neumann, where not empty, G at each point in place of `value`; single sweeps alone
  /// take them.
  std::vector<double> values = {};

  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Boundaries {
  /// By axis, then low and high.
  std::array<std::array<Condition, 2>, 3> faces = {};
  Spacing spacing = {}; ///< what derivatives of neumann are by

  /// One condition at both faces of an axis, 0 to 2.
  Boundaries& both(int axis, const Condition& condition) {
    faces[static_cast<std::size_t>(axis)] = {condition, condition};
    return *this;
  }
};

/// "x=periodic,y-=dirichlet:0,y+=neumann:1": every face that is not untouched; "untouched" where
/// all are.
[[nodiscard]] std::string to_text(const Boundaries& boundaries);

/// Reads a list of AXIS=CONDITION, AXIS-=CONDITION and AXIS+=CONDITION, separated by commas; what
/// is not named stays untouched. What follows "dirichlet:" and is no number names a field: its
/// values are for the caller to fill in. Throws UsageError for an axis or condition that there is
/// not, a face given twice, periodic on one face alone, and a value that is no number.
[[nodiscard]] Boundaries parse_boundaries(std::string_view text);

/// "x-", "z+": how a face is called.
[[nodiscard]] std::string face_name(int axis, int side);

/// Points of a face of such a field.
[[nodiscard]] Index face_points(Index3 extents, int axis);

/// Throws UsageError where the conditions do not fit a stencil of this radius on such a field: on
/// an axis along which it reads no neighbours, too few points, values of another count.
void require_fit(const Boundaries& boundaries, Offset radius, Index3 extents);

} // namespace ridge::stencil
