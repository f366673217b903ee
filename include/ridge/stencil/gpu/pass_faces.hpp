// Faces whose shell changes from sweep to sweep, as a pass of several sweeps knows them.
//
// A point beyond a face has the value of one inside, reflected; that one is never further from who
// reads it than what it stands for. So what a lane holds for a point beyond a face it replaces by
// what Shell::value would have set, made of other values that it holds. Beyond periodic faces lies
// the other end of the field, from where it is fetched and computed again. Of fields in 16 bits
// such values are not rounded: they are those of points inside or, with another sign, as exact.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/shell.hpp>
#include <ridge/stencil/stored_shell.hpp>

#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// An index that is part of a type.
template <int I>
inline constexpr std::integral_constant<int, I> constant{};

/// One face, of numbers. `at` is its point, or for a mirror the last one before it, in coordinates
/// of the field with its shell; out of every point's reach where nothing is reflected.
template <class T, int Radius>
struct PassFace {
  int at = 0;
  int behind = 0; ///< 1: the mirror is half a point beyond `at`
  T sign = 1;
  T of_face = 0;
  T add[Radius] = {};

  /// The image of a point `beyond` points beyond `at`, as Shell::value computes it: `about_point`
  /// is what it is the image of, or `about_half` where a mirror lies half a point beyond, `own` the
  /// face's own value. Where no more than one point lies beyond, it is none of a Dirichlet face.
  RIDGE_DEVICE T image(int beyond, T about_point, T about_half, T own) const {
    const T inside = behind != 0 ? about_half : about_point;
    if constexpr (Radius == 1) {
      return add[0] + inside;
    } else {
      const T sum = add[beyond - 1];
      return (of_face != 0 ? sum + of_face * own : sum) + sign * inside;
    }
  }
  template <int N>
  RIDGE_DEVICE Pack<T, N> image(int beyond, Pack<T, N> about_point, Pack<T, N> about_half,
                                Pack<T, N> own) const {
    return Pack<T, N>::make(
        [&](int i) { return image(beyond, about_point[i], about_half[i], own[i]); });
  }
};

template <class T, int Radius>
struct PassFaces {
  static constexpr int none = 1 << 30;
  PassFace<T, Radius> face[3][2]; ///< by axis, then low and high
  bool periodic[3] = {false, false, false};
  bool sides_move = false; ///< all faces in x and y do

  /// `periodic`: by axis.
  template <class E>
  static PassFaces of(const Shell<E>& shell, const bool (&periodic)[3]) {
    PassFaces made;
    const Index3 n = shell.field.extents;
    const Index size[3] = {n.x, n.y, n.z};
    for (int axis = 0; axis < 3; ++axis) {
      const ShellAxis<T>& a = axis_of(shell, axis);
      made.periodic[axis] = periodic[axis];
      for (int side = 0; side < 2; ++side) {
        PassFace<T, Radius>& face = made.face[axis][side];
        const Index beyond = side == 0 ? a.lead : size[axis] - a.lead - a.points;
        face.at = side == 0 ? -none : none;
        if (beyond == 0 || periodic[axis]) continue;
        const Index outermost = side == 0 ? 0 : a.points - 1;
        const Image<T>& first = a.beyond[side][0];
        face.at = static_cast<int>(a.lead + outermost);
        face.behind = first.at == outermost ? 1 : 0;
        face.sign = first.sign;
        face.of_face = first.of_face[side];
        for (Index k = 0; k < beyond; ++k)
          face.add[k] = a.beyond[side][k].add;
      }
    }
    const auto move = [&](int axis) {
      return periodic[axis] || (made.face[axis][0].at != -none && made.face[axis][1].at != none);
    };
    made.sides_move = move(0) && move(1);
    return made;
  }

  /// Gives the points beyond both faces of an axis their values, in a window of `N` points from
  /// `first` on and as many as the radius on both sides. `at(w)` is point first + w of it, for
  /// constants w.
  template <int N, class At>
  RIDGE_DEVICE void reflect(int axis, int first, const At& at) const {
    unrolled<Radius>([&](auto i) {
      unrolled<N + 2 * Radius>([&](auto v) {
        constexpr int beyond = i + 1;
        constexpr int w = v - Radius;
        constexpr int below = w + 2 * beyond;
        constexpr int above = w - 2 * beyond;
        // Others lie further from all points of the window's middle than they read.
        if constexpr (w <= N - 2 && below < N + Radius) {
          const PassFace<T, Radius>& f = face[axis][0];
          if (first + w == f.at - beyond) {
            at(constant<w>) = f.image(beyond, at(constant<below>), at(constant<below - 1>),
                                      at(constant<w + beyond>));
          }
        }
        if constexpr (w >= 1 && above >= -Radius) {
          const PassFace<T, Radius>& f = face[axis][1];
          if (first + w == f.at + beyond) {
            at(constant<w>) = f.image(beyond, at(constant<above>), at(constant<above + 1>),
                                      at(constant<w - beyond>));
          }
        }
      });
    });
  }
  /// Gives the point beyond the face at which rows begin its value in a row's window from `first`
  /// on. For radius 1, as the next.
  template <class Values>
  RIDGE_DEVICE void reflect_low(int first, Values& values) const {
    const PassFace<T, Radius>& f = face[0][0];
    const T beyond = f.image(1, values[2], values[1], values[1]);
    values[0] = first == f.at - 1 ? beyond : values[0];
  }
  /// Likewise where rows end, if the point beyond that face is `Place` points behind a window's
  /// first.
  template <int Place, class Values>
  RIDGE_DEVICE void reflect_high(int first, Values& values) const {
    const PassFace<T, Radius>& f = face[0][1];
    const T beyond = f.image(1, values[Place - 2], values[Place - 1], values[Place - 1]);
    values[Place] = first == f.at + 1 - Place ? beyond : values[Place];
  }
  /// Both in a window of `N` points, where rows begin and end beyond these faces.
  template <int N, class Values>
  RIDGE_DEVICE void reflect_row(bool low, bool high, int first, Values& values) const {
    if (low) reflect_low(first, values);
    if (high) unrolled<N>([&](auto i) { reflect_high<i + 1>(first, values); });
  }
  /// Whether the last point before the face at which rows end is the first of a pack of so many.
  [[nodiscard]] RIDGE_DEVICE bool ends_packs(int size) const { return face[0][1].at % size == 0; }
  /// Whether such a window holds points beyond a face.
  template <int N>
  [[nodiscard]] RIDGE_DEVICE bool beside(int axis, int first) const {
    return first - Radius < face[axis][0].at || first + N + Radius > face[axis][1].at + 1;
  }

  /// Where a place beyond a periodic face is in a field of `n` points, its shell included.
  static RIDGE_DEVICE int wrapped(int at, int n) {
    while (at < Radius)
      at += n - 2 * Radius;
    while (at >= n - Radius)
      at -= n - 2 * Radius;
    return at;
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
