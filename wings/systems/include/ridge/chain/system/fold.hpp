// The transpose of setting points beyond faces: what they hold is added to the points that they
// show.
#pragma once

#include <ridge/chain/system/beyond.hpp>

namespace ridge::chain {

/// An array of derivatives, whose faces are folded along one axis; those of later axes were before.
template <class T>
struct FoldedArray : BeyondArray<T> {
  int axis = 0;

  /// Lines along the axis that have points beyond its faces, or at a wall.
  [[nodiscard]] RIDGE_FN Index lines() const {
    const ShellOf& s = this->shell;
    return axis == 0   ? s.within(1) * s.within(2)
           : axis == 1 ? s.all(0) * s.within(2)
                       : s.all(0) * s.all(1);
  }
  /// Where line i has its point 0, in elements from the first item.
  [[nodiscard]] RIDGE_FN Index line(Index i) const {
    const ShellOf& s = this->shell;
    if (axis == 0) return this->at(0, s.low[1] + i % s.within(1), s.low[2] + i / s.within(1));
    const Index x = s.begin[0] + i % s.all(0);
    return axis == 1 ? this->at(x, 0, s.low[2] + i / s.all(0))
                     : this->at(x, s.begin[1] + i / s.all(0), 0);
  }
  [[nodiscard]] RIDGE_FN Index stride() const {
    return axis == 0 ? 1 : axis == 1 ? this->row : this->plane;
  }
  /// Calls f(from, to, sign) for the points of a line beyond faces and at walls, in their order; of
  /// those that count for nothing the sign is 0.
  template <class F>
  RIDGE_FN void for_shown(const F& f) const {
    const ShellOf& s = this->shell;
    for (Index i = s.begin[axis]; i < s.end[axis]; ++i) {
      if (i >= s.low[axis] && i < s.high[axis]) {
        i = s.high[axis] - 1;
        continue;
      }
      typename BeyondArray<T>::Shown shown;
      const bool shows = this->shows(axis, i, shown);
      f(i, shown.at, shows ? shown.sign : NumberOf<T>(0));
    }
  }
};

/// A free face of the velocities as they were before it was set, and derivatives around it.
template <class T>
struct FoldedFree : FreeFace<T> {
  ArrayPlace<T> by_velocities[3], by_lambda, by_mu;

  /// Points around it whose velocities slopes read: those of the face, and one at either end.
  [[nodiscard]] RIDGE_FN Index along(int e) const {
    return e == this->axis ? 1 : this->n[e] > 1 ? this->n[e] + 2 : 1;
  }
  [[nodiscard]] RIDGE_FN Index around() const { return along(0) * along(1) * along(2); }
  /// Calls f(first, second) with the indices of the i-th of these, along the other two axes.
  template <class F>
  RIDGE_FN void at_around(Index i, const F& f) const {
    const int first = this->axis == 0 ? 1 : 0;
    const int second = this->axis == 2 ? 1 : 2;
    f(i % along(first) - (this->n[first] > 1 ? 1 : 0),
      i / along(first) - (this->n[second] > 1 ? 1 : 0));
  }
};

} // namespace ridge::chain
