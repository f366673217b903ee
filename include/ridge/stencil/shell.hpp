// The shell of a field: the outermost radius of points, which boundary conditions give their
// values.
//
// A field with boundaries is kept with as many points beyond its faces as a stencil reads there.
// Points on Dirichlet faces and untouched ones belong to the shell, too: what lies within is what a
// sweep computes.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/stencil/boundary.hpp>
#include <ridge/stencil/strides.hpp>

namespace ridge::stencil {

/// The largest radius that boundaries are for.
inline constexpr int most_radius = 8;

/// Where a point beyond a face has its value from: `sign` times that of point `at` of its axis,
/// plus `add`, plus the values of the axis' two faces so many times.
template <class T>
struct Image {
  Index at = 0;
  T sign = 1;
  T add = 0;
  T of_face[2] = {0, 0};
};

/// Along one axis.
template <class T>
struct ShellAxis {
  Index points = 1; ///< of the field itself
  int radius = 0;   ///< of the shell
  int lead = 0;     ///< points beyond the low face; the field begins there
  /// Images of points beyond the low and the high face, the nearest first.
  Image<T> beyond[2][most_radius] = {};
  bool fixed[2] = {false, false}; ///< the face's own points have given values:
  T value[2] = {0, 0};
  Span<T> values[2] = {}; ///< or these, as Condition::values, on the device
};

/// The shell of one field on a device: all that filling it needs.
template <class T>
struct Shell {
  View<T> field; ///< with its shell
  ShellAxis<T> axes[3];

  /// The value of a fixed point on face `side` of `axis`. Memory is read by `read(span, index)`.
  template <class Read>
  RIDGE_FN T face_value(int axis, int side, const Index (&at)[3], const Read& read) const {
    const ShellAxis<T>& a = axes[axis];
    if (a.values[side].size == 0) return a.value[side];
    const int fast = axis == 0 ? 1 : 0;
    const int slow = axis == 2 ? 1 : 2;
    return read(a.values[side], at[fast] + at[slow] * axes[fast].points);
  }

  /// The value of the point at (x, y, z) of the view, which is in the shell. False for one that
  /// keeps what it holds. Reads only points that no shell of this field sets.
  template <class Read>
  RIDGE_FN bool value(Index x, Index y, Index z, T& result, const Read& read) const {
    const Index given[3] = {x, y, z};
    const Image<T>* image[3] = {nullptr, nullptr, nullptr};
    Index at[3];
    int fixed_axis = -1;
    int fixed_side = 0;
    bool beyond = false;
    for (int axis = 0; axis < 3; ++axis) {
      const ShellAxis<T>& a = axes[axis];
      at[axis] = given[axis] - a.lead;
      if (at[axis] < 0 || at[axis] >= a.points) {
        const int side = at[axis] < 0 ? 0 : 1;
        const Index distance = side == 0 ? -at[axis] : at[axis] - (a.points - 1);
        image[axis] = &a.beyond[side][distance - 1];
        at[axis] = image[axis]->at;
        beyond = true;
      }
      for (int s = 0; s < 2; ++s) {
        if (a.fixed[s] && at[axis] == (s == 0 ? 0 : a.points - 1)) {
          fixed_axis = axis;
          fixed_side = s;
        }
      }
    }
    if (fixed_axis < 0 && !beyond) return false;
    T found = fixed_axis >= 0
                  ? face_value(fixed_axis, fixed_side, at, read)
                  : read(field.elements(), field.at(at[0] + axes[0].lead, at[1] + axes[1].lead,
                                                    at[2] + axes[2].lead));
    for (int axis = 0; axis < 3; ++axis) {
      if (image[axis] == nullptr) continue;
      T add = image[axis]->add;
      for (int s = 0; s < 2; ++s) {
        // Twice a value is exact, so that it does not matter how this is compiled.
        if (image[axis]->of_face[s] != 0)
          add += image[axis]->of_face[s] * face_value(axis, s, at, read);
      }
      found = add + image[axis]->sign * found;
    }
    result = found;
    return true;
  }
};

/// The function that each kind's module offers under Shell<T>, for float and double: sets all
/// points of the shell that do not keep what they hold, in queue order.
template <class T>
using FillShell = void(Queue& queue, const Shell<T>& shell);

/// Copies a box between two views of the same extents; offered under BoxCopy<T>.
template <class T>
struct BoxCopy {
  View<const T> from;
  View<T> to;
};
template <class T>
using CopyBox = void(Queue& queue, const BoxCopy<T>& copy);

/// How a field with boundaries lies in memory.
struct ShellLayout {
  Index3 extents; ///< with the shell
  Index3 lead;    ///< where the field itself begins
  Strides strides;
  /// Elements of memory that begins at a line.
  [[nodiscard]] Index elements() const { return strides.misfit + strides.plane * extents.z; }
};

/// Rows begin at lines, and rows and planes no power of two apart. For `single` sweeps on GPUs they
/// begin such that the first results do where the shell has points before the field's, so that
/// these take no lanes. `boundaries` fit (require_fit).
[[nodiscard]] ShellLayout shell_layout(const Device& device, const Traits& traits,
                                       const Boundaries& boundaries, Index3 extents,
                                       bool single = true);

/// Values of faces on a device, by axis and side; empty where a condition has none.
template <class T>
using FaceValues = std::array<std::array<Span<T>, 2>, 3>;

/// The shell of a field in memory at `data`, which begins at a line. Of an `even` field, a
/// coefficient, nothing is fixed and all reflection is even.
template <class T>
[[nodiscard]] Shell<T> make_shell(const Boundaries& boundaries, Offset radius, Index3 extents,
                                  const ShellLayout& layout, T* data,
                                  const FaceValues<T>& face_values, bool even);

/// Whether a sweep changes what the shell holds.
[[nodiscard]] bool shell_changes(const Boundaries& boundaries, Offset radius);

} // namespace ridge::stencil
