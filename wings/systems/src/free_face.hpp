// Velocities beyond a free face, and the transpose of setting them, for lanes. Kernel sources
// include it, once per device kind.
#pragma once

#include <ridge/chain/system/fold.hpp>

namespace ridge::chain::systems::inline RIDGE_TARGET_NAME {

/// Elements of arrays, for a thread of the host and for a lane.
struct HostMemory {
  template <class T>
  T load(const ArrayPlace<T>& a, Index at) const {
    return a.data[at];
  }
  template <class T>
  void store(const ArrayPlace<T>& a, Index at, T value) const {
    a.data[at] = value;
  }
};
template <class Lane>
struct LaneMemory {
  Lane& lane;
  template <class T>
  RIDGE_DEVICE T load(const ArrayPlace<T>& a, Index at) const {
    return lane.load_written(Span<T>(a.data - a.before, a.size), a.before + at);
  }
  template <class T>
  RIDGE_DEVICE void store(const ArrayPlace<T>& a, Index at, T value) const {
    lane.store(Span<T>(a.data - a.before, a.size), a.before + at, value);
  }
};

/// Points around one of a free face; `memory` loads and stores elements of arrays.
template <class T, class Memory>
struct AtFreeFace {
  using Number = NumberOf<T>;
  using Array = ArrayPlace<T>;
  const FreeFace<T>& f;
  const Memory& memory;

  /// A point of the face, by its indices along the other two axes.
  RIDGE_FN void point(Index first, Index second, Index* p) const {
    p[f.axis] = f.side == 0 ? 0 : f.n[f.axis] - 1;
    p[f.axis == 0 ? 1 : 0] = first;
    p[f.axis == 2 ? 1 : 2] = second;
  }
  /// Whether there are velocities along the axis.
  RIDGE_FN bool has(int e) const { return e == f.axis || f.n[e] > 1; }
  RIDGE_FN bool runs_along(int e) const { return e != f.axis && f.n[e] > 1; }
  /// From the face to the k-th point beyond it, and to the one as far inside. Points of the normal
  /// velocity lie half a point behind.
  RIDGE_FN Index beyond(int e, Index k) const {
    return f.side == 0 ? -k - 1 : k + (e == f.axis ? 0 : 1);
  }
  RIDGE_FN Index inside(int e, Index k) const {
    return f.side == 0 ? k + (e == f.axis ? 0 : 1) : -k - 1;
  }
  /// Between these two.
  static RIDGE_FN Number apart(bool normal, Index k) {
    return static_cast<Number>((normal ? 1 : 2) + 2 * k);
  }
  RIDGE_FN Number outward(Number slope) const { return f.side == 0 ? slope : -slope; }

  static RIDGE_FN Index place(const Array& a, const Index* p, int axis, Index shift) {
    const Index x = p[0] + (axis == 0 ? shift : 0);
    const Index y = p[1] + (axis == 1 ? shift : 0);
    const Index z = p[2] + (axis == 2 ? shift : 0);
    return x + y * a.row + z * a.plane;
  }
  RIDGE_FN Number load(const Array& a, const Index* p, int axis, Index shift) const {
    return number_of(memory.load(a, place(a, p, axis, shift)));
  }
  RIDGE_FN void store(const Array& a, const Index* p, Index shift, Number value) const {
    memory.store(a, place(a, p, f.axis, shift), element_of<T>(value));
  }
  /// Where the medium of a point is: beyond the last point that which is nearest.
  RIDGE_FN Index medium_along(Index at, int e) const {
    return at < f.n[e] ? at : f.wraps[e] ? at - f.n[e] : f.n[e] - 1;
  }
  RIDGE_FN void medium_of(const Index* p, Index* q) const {
    for (int e = 0; e < 3; ++e)
      q[e] = medium_along(p[e], e);
  }
  /// How velocities along the face spread there, times the spacing along its axis.
  RIDGE_FN Number spread(const Index* p) const {
    Number along = 0;
    for (int e = 0; e < 3; ++e) {
      if (runs_along(e))
        along += f.over[e] * (load(f.velocities[e], p, e, 0) - load(f.velocities[e], p, e, -1));
    }
    return along;
  }
};

/// Sets velocities beyond a point of a free face.
template <class T, class Memory>
struct BeyondFree : AtFreeFace<T, Memory> {
  using Number = NumberOf<T>;
  using Face = AtFreeFace<T, Memory>;
  using Face::f;

  RIDGE_FN void set(Index first, Index second) const {
    Index p[3];
    this->point(first, second, p);
    for (int e = 0; e < 3; ++e) {
      if (!this->has(e)) continue;
      const bool normal = e == f.axis;
      const Number slope = normal ? of_normal(p) : of_tangent(p, e);
      for (Index k = 0; k < 2; ++k) {
        const Number value = this->load(f.velocities[e], p, f.axis, this->inside(e, k));
        this->store(f.velocities[e], p, this->beyond(e, k), value + slope * Face::apart(normal, k));
      }
    }
  }

private:
  /// Outward, times the spacing there.
  RIDGE_FN Number of_normal(const Index* p) const {
    Index q[3];
    this->medium_of(p, q);
    const Number lambda = this->load(f.lambda, q, 0, 0);
    return this->outward(this->spread(p) * lambda / (lambda + 2 * this->load(f.mu, q, 0, 0)));
  }
  /// The normal velocity on the face.
  RIDGE_FN Number normal(const Index* p) const {
    return this->load(f.velocities[f.axis], p, f.axis, f.side == 0 ? 0 : -1) + of_normal(p) / 2;
  }
  RIDGE_FN Number of_tangent(const Index* p, int e) const {
    const Index next[3] = {p[0] + (e == 0 ? 1 : 0), p[1] + (e == 1 ? 1 : 0),
                           p[2] + (e == 2 ? 1 : 0)};
    return this->outward(f.over[e] * (normal(next) - normal(p)));
  }
};

/// The transpose of that, in two launches: slopes are gathered from the derivatives beyond the
/// face, of points around it, too; then these go to the points as far inside.
template <class T, class Memory>
struct FoldFree : AtFreeFace<T, Memory> {
  using Number = NumberOf<T>;
  using Face = AtFreeFace<T, Memory>;
  using Face::f;
  const FoldedFree<T>& by;

  RIDGE_FN FoldFree(const FoldedFree<T>& of, const Memory& memory) : Face{of, memory}, by(of) {}

  /// For a point of the face or one aside, as far as forward steps read.
  RIDGE_FN void gather(Index first, Index second) const {
    Index p[3];
    this->point(first, second, p);
    const Number here = of_spread(p);
    for (int e = 0; e < 3; ++e) {
      if (!this->runs_along(e)) continue;
      const Index next[3] = {p[0] + (e == 0 ? 1 : 0), p[1] + (e == 1 ? 1 : 0),
                             p[2] + (e == 2 ? 1 : 0)};
      add(by.by_velocities[e], p, 0, f.over[e] * (here - of_spread(next)));
    }
    if (!reads_normal(p)) return;
    add(by.by_velocities[f.axis], p, f.side == 0 ? 0 : -1, of_normal_velocity(p));
    if (is_on_face(p)) gather_medium(p);
  }
  /// For a point of the face.
  RIDGE_FN void fold(Index first, Index second) const {
    Index p[3];
    this->point(first, second, p);
    for (int e = 0; e < 3; ++e) {
      for (Index k = 0; k < 2 && this->has(e); ++k) {
        add(by.by_velocities[e], p, this->inside(e, k),
            this->load(by.by_velocities[e], p, f.axis, this->beyond(e, k)));
        this->store(by.by_velocities[e], p, this->beyond(e, k), 0);
      }
    }
  }

private:
  using Array = ArrayPlace<T>;

  RIDGE_FN void add(const Array& a, const Index* p, Index shift, Number value) const {
    this->store(a, p, shift, this->load(a, p, f.axis, shift) + value);
  }
  RIDGE_FN bool lies(const Index* p, Index more) const {
    for (int e = 0; e < 3; ++e) {
      if (e != f.axis && (p[e] < 0 || p[e] >= f.n[e] + (f.n[e] > 1 ? more : 0))) return false;
    }
    return true;
  }
  RIDGE_FN bool is_on_face(const Index* p) const { return lies(p, 0); }
  /// Whether slopes need the normal velocity there.
  RIDGE_FN bool reads_normal(const Index* p) const { return lies(p, 1); }

  /// The derivative by the slope of a velocity.
  RIDGE_FN Number of_slope(const Index* p, int e) const {
    if (!is_on_face(p)) return 0;
    const bool normal = e == f.axis;
    return Face::apart(normal, 0) * this->load(by.by_velocities[e], p, f.axis, this->beyond(e, 0)) +
           Face::apart(normal, 1) * this->load(by.by_velocities[e], p, f.axis, this->beyond(e, 1));
  }
  /// The derivative by the normal velocity on the face.
  RIDGE_FN Number of_normal_velocity(const Index* p) const {
    Number sum = 0;
    for (int e = 0; e < 3; ++e) {
      if (!this->runs_along(e)) continue;
      const Index last[3] = {p[0] - (e == 0 ? 1 : 0), p[1] - (e == 1 ? 1 : 0),
                             p[2] - (e == 2 ? 1 : 0)};
      sum += f.over[e] * (of_slope(last, e) - of_slope(p, e));
    }
    return this->outward(sum);
  }
  /// The derivative by the slope of the normal velocity.
  RIDGE_FN Number of_normal_slope(const Index* p) const {
    if (!reads_normal(p)) return 0;
    return this->outward(of_slope(p, f.axis) + of_normal_velocity(p) / 2);
  }
  /// The derivative by how velocities spread.
  RIDGE_FN Number of_spread(const Index* p) const {
    if (!reads_normal(p)) return 0;
    Index q[3];
    this->medium_of(p, q);
    const Number lambda = this->load(f.lambda, q, 0, 0);
    return of_normal_slope(p) * lambda / (lambda + 2 * this->load(f.mu, q, 0, 0));
  }
  /// Points that have this one's medium count: there may be one more along each axis.
  RIDGE_FN void gather_medium(const Index* q) const {
    Number sum = 0;
    Index p[3] = {q[0], q[1], q[2]};
    const int first = f.axis == 0 ? 1 : 0;
    const int second = f.axis == 2 ? 1 : 2;
    for (int i = 0; i < 4; ++i) {
      p[first] = i % 2 == 0 ? q[first] : f.n[first];
      p[second] = i / 2 == 0 ? q[second] : f.n[second];
      const bool has_it = this->medium_along(p[first], first) == q[first] &&
                          this->medium_along(p[second], second) == q[second];
      if (has_it && reads_normal(p)) sum += of_normal_slope(p) * this->spread(p);
    }
    const Number lambda = this->load(f.lambda, q, 0, 0);
    const Number mu = this->load(f.mu, q, 0, 0);
    const Number all = lambda + 2 * mu;
    add(by.by_lambda, q, 0, sum * 2 * mu / (all * all));
    add(by.by_mu, q, 0, -sum * 2 * lambda / (all * all));
  }
};

} // namespace ridge::chain::systems::inline RIDGE_TARGET_NAME
