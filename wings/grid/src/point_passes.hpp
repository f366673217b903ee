// Passes of one number a point: what they store, on any device, by `io.read` and `io.store`.
#pragma once

#include "points.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// True of passes whose `first` says what a point reads of large arrays, which GPUs have under way
/// for several points at a time.
template <class Work>
inline constexpr bool reads_first = requires {
  Work::reads_first;
};

template <class T>
struct Combining {
  static constexpr const char* name = "multigrid vectors";
  static constexpr bool reads_first = true;
  Combined<T> c;
  [[nodiscard]] RIDGE_FN Index3 points() const { return {c.to.size, 1, 1}; }
  template <class IO>
  [[nodiscard]] RIDGE_FN T first(const IO& io, Index i, Index, Index) const {
    return c.number * io.read_written(c.to, i) + c.other_number * io.read(c.other, i);
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index i, Index, Index, T value) const {
    io.store(c.to, i, value);
  }
};

struct Narrowing {
  static constexpr const char* name = "multigrid residual, as fp32";
  static constexpr bool reads_first = true;
  Narrowed n;
  [[nodiscard]] RIDGE_FN Index3 points() const { return {n.to.size, 1, 1}; }
  template <class IO>
  [[nodiscard]] RIDGE_FN double first(const IO& io, Index i, Index, Index) const {
    return io.read(n.from, i);
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index i, Index, Index, double value) const {
    io.store(n.to, i, static_cast<float>(n.number * value));
  }
};

template <class T>
struct Magnifying {
  static constexpr const char* name = "what cancels in a residual";
  Magnified<T> m;
  [[nodiscard]] RIDGE_FN Index3 points() const {
    return {m.a.axes[0].points, m.a.axes[1].points, m.a.axes[2].points};
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z) const {
    const auto read = [&](const auto& span, Index i) {
      const auto number = io.read(span, i);
      return number < 0 ? -number : number;
    };
    const AlongX<T> w(m.a.axes[0], static_cast<int>(x), read);
    const Row<T> row(m.a, static_cast<int>(y), static_cast<int>(z), read);
    const Index at = row.here + x;
    const T own = read(m.u, at);
    const T below = read(m.u, row.before_z + x);
    const T above = read(m.u, row.behind_z + x);
    const Span<const T> none;
    const PointOf<T> p =
        m.a.k.size == 0
            ? row.plain(m.a, m.u, none, static_cast<int>(x), w, own, below, above, read)
            : row.varied(m.a, m.u, none, static_cast<int>(x), w, own, below, above, read);
    // The residual of |u| with the point's own part of the other sign.
    io.store(m.out, at, (p.residual + 2 * p.diagonal * own) + read(m.b, at));
  }
};

template <class T>
struct Defecting {
  static constexpr const char* name = "residual in fp64";
  Defect<T> d;
  [[nodiscard]] RIDGE_FN Index3 points() const {
    return {d.a.axes[0].points, d.a.axes[1].points, d.a.axes[2].points};
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z) const {
    const Index nx = d.a.axes[0].points;
    const Index ny = d.a.axes[1].points;
    const Index own = x + nx * (y + ny * z);
    const Index k_row = nx + 2;
    const Index at_k = d.a.k.size == 0 ? 0 : x + surrounded_row(nx, ny, y, z);
    const double u = number(io, d.u, own);
    const double sum = along<0>(io, x, own, 1, at_k, 1, u) +
                       along<1>(io, y, own, nx, at_k, k_row, u) +
                       along<2>(io, z, own, nx * ny, at_k, k_row * (ny + 2), u);
    const double shift = static_cast<double>(d.a.shift);
    io.store(d.out, own, static_cast<T>(number(io, d.b, own) + (sum - shift * u)));
  }

private:
  template <class IO>
  RIDGE_FN static double number(const IO& io, const Span<const T>& from, Index i) {
    return static_cast<double>(io.read(from, i));
  }
  template <int Axis, class IO>
  RIDGE_FN double along(const IO& io, Index at, Index own, Index stride, Index at_k, Index k_stride,
                        double u) const {
    const AxisTables<T>& axis = d.a.axes[Axis];
    const int i = static_cast<int>(at);
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
      const int there = neighbour(axis, i, side == 0 ? -1 : 1);
      double weight = number(io, side == 0 ? axis.low : axis.high, at);
      if (d.a.k.size != 0)
        weight *= between(number(io, d.a.k, at_k),
                          number(io, d.a.k, side == 0 ? at_k - k_stride : at_k + k_stride));
      const double beyond = there == i ? 0 : number(io, d.u, own + (there - i) * stride);
      sum += weight * (beyond - u);
    }
    return sum;
  }
};

template <class T>
struct Shifting {
  static constexpr const char* name = "multigrid mean";
  static constexpr bool reads_first = true;
  Shifted<T> s;
  [[nodiscard]] RIDGE_FN Index3 points() const { return {s.to.size, 1, 1}; }
  template <class IO>
  [[nodiscard]] RIDGE_FN T first(const IO& io, Index i, Index, Index) const {
    return io.read_written(s.to, i);
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index i, Index, Index, T value) const {
    io.store(s.to, i, value + s.number);
  }
};

template <class T>
struct Masking {
  static constexpr const char* name = "points that are not solved for";
  Masked<T> m;
  [[nodiscard]] RIDGE_FN Index3 points() const { return {m.to.size, 1, 1}; }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index i, Index, Index) const {
    io.store(m.to, i, io.read(m.land, i) != 0 ? T(0) : io.read_written(m.to, i));
  }
};

template <class T>
struct Picking {
  static constexpr const char* name = "points of a transform";
  static constexpr bool reads_first = true;
  Picked<T> p;
  [[nodiscard]] RIDGE_FN Index3 points() const { return p.points; }
  template <class IO>
  [[nodiscard]] RIDGE_FN T first(const IO& io, Index x, Index y, Index z) const {
    return io.read(p.from, io.read(p.place[0], x) +
                               p.from_points.x * (io.read(p.place[1], y) +
                                                  p.from_points.y * Index{io.read(p.place[2], z)}));
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z, T value) const {
    const T sign = io.read(p.sign[0], x) * io.read(p.sign[1], y) * io.read(p.sign[2], z);
    io.store(p.to, x + p.to_row * (y + p.points.y * z), sign * value);
  }
};

template <class T>
struct Dividing {
  static constexpr const char* name = "eigenvalues";
  static constexpr bool reads_first = true;
  Divided<T> d;
  struct Two {
    T number[2];
  };
  [[nodiscard]] RIDGE_FN Index3 points() const { return d.points; }
  template <class IO>
  [[nodiscard]] RIDGE_FN Two first(const IO& io, Index x, Index y, Index z) const {
    const Index at = d.parts * (x + d.points.x * (y + d.points.y * z));
    return {{io.read_written(d.spectrum, at),
             d.parts > 1 ? io.read_written(d.spectrum, at + 1) : T(0)}};
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z, const Two& value) const {
    const T sum = io.read(d.eigenvalues[0], x) + io.read(d.eigenvalues[1], y) +
                  io.read(d.eigenvalues[2], z) + d.shift;
    const T scale = sum > T(0) ? d.number / sum : T(0);
    const Index at = d.parts * (x + d.points.x * (y + d.points.y * z));
    io.store(d.spectrum, at, scale * value.number[0]);
    if (d.parts > 1) io.store(d.spectrum, at + 1, scale * value.number[1]);
  }
};

template <class T>
struct Widening {
  static constexpr const char* name = "operator of higher order";
  Wide<T> w;
  [[nodiscard]] RIDGE_FN Index3 points() const {
    return {w.axes[0].points, w.axes[1].points, w.axes[2].points};
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z) const {
    const Index ny = w.axes[1].points;
    const Index nx = w.axes[0].points;
    const Index own = x + nx * (y + ny * z);
    T sum = w.b.size != 0 ? io.read(w.b, own) : T(0);
    if (w.faces[0].size != 0)
      sum += io.read(w.faces[0], x) + io.read(w.faces[1], y) + io.read(w.faces[2], z);
    if (w.u.size != 0) {
      const T u = io.read(w.u, own);
      sum += along<0>(io, x, own - x, 1, u) + along<1>(io, y, own - nx * y, nx, u) +
             along<2>(io, z, own - nx * ny * z, nx * ny, u) - w.shift * u;
    }
    io.store(w.out, own, w.negates ? -sum : sum);
  }

private:
  template <int Axis, class IO>
  RIDGE_FN T along(const IO& io, Index at, Index begin, Index stride, T u) const {
    if (w.weights[Axis].size == 0) return T(0);
    T sum = io.read(w.weights[Axis], 0) * u;
    for (int k = 1; k <= w.radius; ++k) {
      T both = T(0);
      for (int side = -1; side <= 1; side += 2) {
        const Index there = at + w.radius + side * k;
        both += io.read(w.sign[Axis], there) *
                io.read(w.u, begin + stride * io.read(w.place[Axis], there));
      }
      sum += io.read(w.weights[Axis], k) * both;
    }
    return sum;
  }
};

template <class T>
struct Surrounding {
  static constexpr const char* name = "multigrid coefficient";
  Surrounded<T> s;
  [[nodiscard]] RIDGE_FN Index3 points() const {
    return {s.points.x + 2, s.points.y + 2, s.points.z + 2};
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z) const {
    const auto in_field = [&](int axis, Index at, Index first, Index points, Index extent) {
      Index i = at - 1 + first;
      if (s.is_periodic[static_cast<std::size_t>(axis)]) {
        if (at == 0) i = points - 1;
        if (at == points + 1) i = 0;
      }
      return i < 0 ? Index{0} : i >= extent ? extent - 1 : i;
    };
    const Index3 n = s.from.extents;
    const Index from = s.from.at(in_field(0, x, s.first.x, s.points.x, n.x),
                                 in_field(1, y, s.first.y, s.points.y, n.y),
                                 in_field(2, z, s.first.z, s.points.z, n.z));
    io.store(s.to, x + (s.points.x + 2) * (y + (s.points.y + 2) * z),
             io.read(s.from.elements(), from));
  }
};

template <class T>
struct Averaging {
  static constexpr const char* name = "multigrid coarse coefficient";
  Averaged<T> a;
  [[nodiscard]] RIDGE_FN Index3 points() const {
    return {Index{a.axes[0].coarse} + 2, Index{a.axes[1].coarse} + 2, Index{a.axes[2].coarse} + 2};
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z) const {
    const auto inside = [](const TransferTables<T>& axis, Index at) {
      Index i = at - 1;
      if (axis.is_periodic) {
        if (i < 0) i = axis.coarse - 1;
        if (i >= axis.coarse) i = 0;
      }
      return static_cast<int>(i < 0 ? 0 : i >= axis.coarse ? axis.coarse - 1 : i);
    };
    const auto read = [&](const auto& span, Index i) { return io.read(span, i); };
    const Index nx = a.axes[0].fine;
    const Index ny = a.axes[1].fine;
    T sum = 0;
    T all = 0;
    each_taken(a.axes[2], inside(a.axes[2], z), read, [&](int fine_z, T z_weight) {
      each_taken(a.axes[1], inside(a.axes[1], y), read, [&](int fine_y, T y_weight) {
        const Index row = surrounded_row(nx, ny, fine_y, fine_z);
        each_taken(a.axes[0], inside(a.axes[0], x), read, [&](int fine_x, T x_weight) {
          const T weight = z_weight * y_weight * x_weight;
          sum += weight * io.read(a.fine, row + fine_x);
          all += weight;
        });
      });
    });
    io.store(a.coarse, x + (Index{a.axes[0].coarse} + 2) * (y + (Index{a.axes[1].coarse} + 2) * z),
             sum / all);
  }
};

template <class T>
struct Gathering {
  static constexpr const char* name = "multigrid right-hand side";
  static constexpr bool reads_first = true;
  Gathered<T> g;
  [[nodiscard]] RIDGE_FN Index3 points() const { return g.points; }
  template <class IO>
  [[nodiscard]] RIDGE_FN T first(const IO& io, Index x, Index y, Index z) const {
    return io.read(g.from.elements(), g.from.at(x + g.first.x, y + g.first.y, z + g.first.z));
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z, T value) const {
    value = g.scale * value;
    if (x == 0 || y == 0 || z == 0 || x == g.points.x - 1 || y == g.points.y - 1 ||
        z == g.points.z - 1)
      value += of_faces(io, x, y, z);
    io.store(g.to, x + g.points.x * (y + g.points.y * z), value);
  }

private:
  // Each face is a function of its own: a table that is looked up by a number of the kernel is
  // copied to each lane's memory on AMD GPUs.
  template <class IO>
  RIDGE_FN T of_faces(const IO& io, Index x, Index y, Index z) const {
    return of_axis<0>(io, x, y, z) + of_axis<1>(io, x, y, z) + of_axis<2>(io, x, y, z);
  }
  template <int Axis, class IO>
  RIDGE_FN T of_axis(const IO& io, Index x, Index y, Index z) const {
    const Index at = Axis == 0 ? x : Axis == 1 ? y : z;
    const Index points = Axis == 0 ? g.points.x : Axis == 1 ? g.points.y : g.points.z;
    T sum = 0;
    if (at == 0) sum += of_face<Axis, 0>(io, x, y, z);
    if (at == points - 1) sum += of_face<Axis, 1>(io, x, y, z);
    return sum;
  }
  template <int Axis, int Side, class IO>
  RIDGE_FN T of_face(const IO& io, Index x, Index y, Index z) const {
    const FaceTerm<T>& face = g.faces[Axis][Side];
    if (face.scale == T(0)) return 0;
    T value = face.value;
    if (face.values.size != 0) {
      const Index first = Axis == 0 ? y + g.first.y : x + g.first.x; // along the face
      const Index second = Axis == 2 ? y + g.first.y : z + g.first.z;
      value =
          io.read(face.values, first + (Axis == 0 ? g.from.extents.y : g.from.extents.x) * second);
    }
    if (g.k.size != 0) {
      const Index own = surrounded_row(g.points.x, g.points.y, y, z) + x;
      const Index stride = Axis == 0   ? 1
                           : Axis == 1 ? g.points.x + 2
                                       : (g.points.x + 2) * (g.points.y + 2);
      const T k = io.read(g.k, own);
      const Index wall = Side == 0 ? own - stride : own + stride;
      value *= face.holds_value ? between(k, io.read(g.k, wall)) : k;
    }
    return face.scale * value;
  }
};

template <class T>
struct Scattering {
  static constexpr const char* name = "multigrid solution";
  static constexpr bool reads_first = true;
  Scattered<T> s;
  [[nodiscard]] RIDGE_FN Index3 points() const { return s.to.extents; }
  template <class IO>
  [[nodiscard]] RIDGE_FN T first(const IO& io, Index x, Index y, Index z) const {
    const Index3 at{x - s.first.x, y - s.first.y, z - s.first.z};
    const bool is_solved = at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < s.points.x &&
                           at.y < s.points.y && at.z < s.points.z;
    return is_solved ? io.read(s.from, at.x + s.points.x * (at.y + s.points.y * at.z)) : T(0);
  }
  template <class IO>
  RIDGE_FN void operator()(const IO& io, Index x, Index y, Index z, T value) const {
    value -= s.less;
    on_face(io, x, y, z, value);
    io.store(s.to.elements(), s.to.at(x, y, z), value);
  }

private:
  /// The value of the face that holds values and that a point lies on, if it does: z before y
  /// before x.
  template <class IO>
  RIDGE_FN bool on_face(const IO& io, Index x, Index y, Index z, T& value) const {
    return holds<2>(io, x, y, z, value) || holds<1>(io, x, y, z, value) ||
           holds<0>(io, x, y, z, value);
  }
  template <int Axis, class IO>
  RIDGE_FN bool holds(const IO& io, Index x, Index y, Index z, T& value) const {
    const Index at = Axis == 0 ? x : Axis == 1 ? y : z;
    const Index3 n = s.to.extents;
    const Index points = Axis == 0 ? n.x : Axis == 1 ? n.y : n.z;
    return (at == 0 && takes<Axis, 0>(io, x, y, z, value)) ||
           (at == points - 1 && takes<Axis, 1>(io, x, y, z, value));
  }
  template <int Axis, int Side, class IO>
  RIDGE_FN bool takes(const IO& io, Index x, Index y, Index z, T& value) const {
    const FaceTerm<T>& face = s.faces[Axis][Side];
    if (face.scale == T(0)) return false;
    const Index3 n = s.to.extents;
    const Index in_face = Axis == 0 ? y + n.y * z : x + n.x * (Axis == 1 ? z : y);
    value = face.values.size == 0 ? face.value : io.read(face.values, in_face);
    return true;
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
