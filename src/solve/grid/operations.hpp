// What multigrid asks of a device, as plain data: each a pass over a level, offered for each kind
// of device under its own type (grid_kernels.cpp).
#pragma once

#include <ridge/device/view.hpp>

#include <array>

namespace ridge::solve::detail {

/// An axis as kernels see it: its tables are on the device.
template <class T>
struct AxisTables {
  int points = 1;
  bool is_periodic = false;
  Span<const T> low, high, volume;
};

/// -laplacian + shift on a level: packed arrays of x, y, z points.
template <class T>
struct Operator {
  std::array<AxisTables<T>, 3> axes;
  T shift = 0;
};

/// out = u + weight (b - A u) / diagonal; of u = 0 where `u` is empty.
template <class T>
struct Sweep {
  Operator<T> a;
  Span<const T> u, b;
  Span<T> out;
  T weight = 1;
};

/// out = b - A u.
template <class T>
struct Residual {
  Operator<T> a;
  Span<const T> u, b;
  Span<T> out;
};

/// For parts of the rows, two numbers each: the sum of (b - A u)^2, and that of volume times
/// (b - A u).
template <class T>
struct Norms {
  Operator<T> a;
  Span<const T> u, b; ///< `u` empty: of b
  Span<double> sums;
};

/// How an axis is restricted, and interpolated.
template <class T>
struct TransferTables {
  int fine = 1, coarse = 1;
  bool is_periodic = false;
  Span<const int> centre, reach;
  Span<const T> taken; ///< five a coarse point
  Span<const int> left, right;
  Span<const T> left_weight, right_weight;
};

/// coarse = R fine.
template <class T>
struct Restriction {
  std::array<TransferTables<T>, 3> axes;
  Span<const T> fine;
  Span<T> coarse;
};

/// fine = P coarse, or fine += P coarse.
template <class T>
struct Interpolation {
  std::array<TransferTables<T>, 3> axes;
  Span<const T> coarse;
  Span<T> fine;
  bool adds = true;
};

/// u = matrix b; element (row, i) of the matrix is at i times the points, plus row.
template <class T>
struct Exact {
  Span<const T> matrix, b;
  Span<T> u;
};

/// to += number.
template <class T>
struct Shifted {
  Span<T> to;
  T number = 0;
};

/// What a face adds to the right-hand side of the points next to it: `scale` times its value.
template <class T>
struct FaceTerm {
  T scale = 0, value = 0;
  Span<const T> values; ///< one a point of the face, of all of the field; empty: `value`
};

/// The packed right-hand side of -laplacian + shift from the user's field: scale times its points
/// from `first` on, and what faces add.
template <class T>
struct Gathered {
  View<const T> from;
  Index3 first, points;
  T scale = 1;
  std::array<std::array<FaceTerm<T>, 2>, 3> faces;
  Span<T> to;
};

/// The user's field from packed points; points on faces that hold values get these.
template <class T>
struct Scattered {
  Span<const T> from;
  Index3 first, points;
  std::array<std::array<FaceTerm<T>, 2>, 3> faces; ///< scale 1 where a face holds values
  View<T> to;
};

} // namespace ridge::solve::detail
