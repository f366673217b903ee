// What the passes of multigrid compute at a point, on any device. `read(span, i)` reads a number.
#pragma once

#include <ridge/core/config.hpp>

#include "operations.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// k between two points. Products of what masked points have would be below all numbers.
template <class T>
RIDGE_FN T between(T k, T other) {
  return 2 * k * (other / (k + other));
}

/// Where a row of k begins in its array, whose rows have a point more at both ends.
RIDGE_FN Index surrounded_row(Index nx, Index ny, Index y, Index z) {
  return 1 + (nx + 2) * ((y + 1) + (ny + 2) * (z + 1));
}

/// The neighbour of a point of an axis; beyond a wall the point itself, whose weight in sums is 0.
template <class T>
RIDGE_FN int neighbour(const AxisTables<T>& axis, int at, int step) {
  const int there = at + step;
  if (there >= 0 && there < axis.points) return there;
  if (!axis.is_periodic) return at;
  return there < 0 ? axis.points - 1 : 0;
}

/// The weights of the neighbours of a point along x: of the diagonal, and of sums.
template <class T>
struct AlongX {
  int before, behind;
  T low, high;                  ///< walls included
  T takes_before, takes_behind; ///< 0 beyond walls, else 1

  /// Inside a row.
  RIDGE_FN AlongX(int x, T low_, T high_)
      : before(x - 1), behind(x + 1), low(low_), high(high_), takes_before(1), takes_behind(1) {}
  template <class Read>
  RIDGE_FN AlongX(const AxisTables<T>& axis, int x, const Read& read)
      : before(neighbour(axis, x, -1)), behind(neighbour(axis, x, 1)), low(read(axis.low, x)),
        high(read(axis.high, x)), takes_before(before == x ? 0 : 1),
        takes_behind(behind == x ? 0 : 1) {}
};

/// b - A u at a point, with its diagonal.
template <class T>
struct PointOf {
  T residual, diagonal, u;
};

/// A row of points of a level: where it and its neighbours in y and z begin, and their weights.
template <class T>
struct Row {
  Index here, before_y, behind_y, before_z, behind_z;
  T low_y, high_y, low_z, high_z; ///< walls included
  T takes[4];                     ///< 0 beyond walls, else 1
  Index k_row, k_plane, k_here;   ///< strides of k, and where the row begins there

  template <class Read>
  RIDGE_FN Row(const Operator<T>& a, int y, int z, const Read& read) {
    const Index nx = a.axes[0].points;
    const Index ny = a.axes[1].points;
    const auto begin = [&](int at_y, int at_z) { return nx * (at_y + ny * at_z); };
    here = begin(y, z);
    before_y = begin(neighbour(a.axes[1], y, -1), z);
    behind_y = begin(neighbour(a.axes[1], y, 1), z);
    before_z = begin(y, neighbour(a.axes[2], z, -1));
    behind_z = begin(y, neighbour(a.axes[2], z, 1));
    low_y = read(a.axes[1].low, y);
    high_y = read(a.axes[1].high, y);
    low_z = read(a.axes[2].low, z);
    high_z = read(a.axes[2].high, z);
    takes[0] = before_y == here ? T(0) : T(1);
    takes[1] = behind_y == here ? T(0) : T(1);
    takes[2] = before_z == here ? T(0) : T(1);
    takes[3] = behind_z == here ? T(0) : T(1);
    k_row = nx + 2;
    k_plane = k_row * (ny + 2);
    k_here = surrounded_row(nx, ny, y, z);
  }

  /// Without a coefficient; below and above are u in the planes before and behind.
  template <class Read>
  RIDGE_FN PointOf<T> plain(const Operator<T>& a, const Span<const T>& u, const Span<const T>& b,
                            int x, const AlongX<T>& w, T own, T below, T above,
                            const Read& read) const {
    const T d = (w.low + w.high) + (low_y + high_y) + (low_z + high_z) + a.shift;
    const T sum =
        (w.takes_before * w.low * read(u, here + w.before) +
         w.takes_behind * w.high * read(u, here + w.behind)) +
        (takes[0] * low_y * read(u, before_y + x) + takes[1] * high_y * read(u, behind_y + x)) +
        (takes[2] * low_z * below + takes[3] * high_z * above);
    return {(b.size == 0 ? T(0) : read(b, here + x)) + (sum - d * own), d, own};
  }
  /// With one.
  template <class Read>
  RIDGE_FN PointOf<T> varied(const Operator<T>& a, const Span<const T>& u, const Span<const T>& b,
                             int x, const AlongX<T>& w, T own, T below, T above,
                             const Read& read) const {
    const Index at = k_here + x;
    const T k = read(a.k, at);
    const T x0 = w.low * between(k, read(a.k, at - 1));
    const T x1 = w.high * between(k, read(a.k, at + 1));
    const T y0 = low_y * between(k, read(a.k, at - k_row));
    const T y1 = high_y * between(k, read(a.k, at + k_row));
    const T z0 = low_z * between(k, read(a.k, at - k_plane));
    const T z1 = high_z * between(k, read(a.k, at + k_plane));
    const T d = (x0 + x1) + (y0 + y1) + (z0 + z1) + a.shift;
    const T sum = (w.takes_before * x0 * read(u, here + w.before) +
                   w.takes_behind * x1 * read(u, here + w.behind)) +
                  (takes[0] * y0 * read(u, before_y + x) + takes[1] * y1 * read(u, behind_y + x)) +
                  (takes[2] * z0 * below + takes[3] * z1 * above);
    return {(b.size == 0 ? T(0) : read(b, here + x)) + (sum - d * own), d, own};
  }
  /// The diagonal alone.
  template <class Read>
  RIDGE_FN T diagonal(const Operator<T>& a, int x, const AlongX<T>& w, const Read& read) const {
    if (a.k.size == 0) return (w.low + w.high) + (low_y + high_y) + (low_z + high_z) + a.shift;
    const Index at = k_here + x;
    const T k = read(a.k, at);
    return (w.low * between(k, read(a.k, at - 1)) + w.high * between(k, read(a.k, at + 1))) +
           (low_y * between(k, read(a.k, at - k_row)) +
            high_y * between(k, read(a.k, at + k_row))) +
           (low_z * between(k, read(a.k, at - k_plane)) +
            high_z * between(k, read(a.k, at + k_plane))) +
           a.shift;
  }
};

/// Calls `use(at, weight)` for the fine points of an axis that coarse point i takes.
template <class T, class Read, class Use>
RIDGE_FN void each_taken(const TransferTables<T>& axis, int i, const Read& read, const Use& use) {
  const int reach = read(axis.reach, i);
  const int centre = read(axis.centre, i);
  for (int k = -reach; k <= reach; ++k) {
    int at = centre + k;
    if (axis.is_periodic) {
      if (at < 0) at += axis.fine;
      if (at >= axis.fine) at -= axis.fine;
    } else if (at < 0 || at >= axis.fine) {
      continue;
    }
    use(at, read(axis.taken, 5 * Index{i} + 2 + k));
  }
}

/// Where fine point i of an axis lies between coarse ones.
template <class T>
struct Between {
  int left, right;
  T left_weight, right_weight;
  template <class Read>
  RIDGE_FN Between(const TransferTables<T>& axis, int i, const Read& read)
      : left(read(axis.left, i)), right(read(axis.right, i)),
        left_weight(read(axis.left_weight, i)), right_weight(read(axis.right_weight, i)) {}
};

/// The rows of a level that a part of its sums is of.
struct Rows {
  Index begin, end;
  RIDGE_FN Rows(Index rows, Index parts, Index part)
      : begin(rows * part / parts), end(rows * (part + 1) / parts) {}
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
