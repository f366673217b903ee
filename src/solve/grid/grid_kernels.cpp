// Passes over the levels of a grid, compiled once per device kind.
#include <ridge/device/offer.hpp>

#include "operations.hpp"

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>

#include <algorithm>
#include <vector>
#else
#include <ridge/device/launch.hpp>

#include <algorithm>
#endif

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

template <class T>
RIDGE_FN Index count_of(const Operator<T>& a) {
  return Index{a.axes[0].points} * a.axes[1].points * a.axes[2].points;
}

/// A row of points of a level: where it and its neighbours in y and z begin, and their weights.
/// `read(span, i)` reads a number.
template <class T>
struct Row {
  Index here, before_y, behind_y, before_z, behind_z;
  T low_y, high_y, low_z, high_z, diagonal;

  template <class Read>
  RIDGE_FN Row(const Operator<T>& a, int y, int z, const Read& read) {
    const Index nx = a.axes[0].points;
    const int ny = a.axes[1].points;
    const int nz = a.axes[2].points;
    const auto begin = [&](int at_y, int at_z) { return nx * (at_y + Index{ny} * at_z); };
    // Beyond walls the point itself stands in: its weight there is in the diagonal alone.
    const auto neighbour = [](const AxisTables<T>& axis, int at, int step) {
      const int there = at + step;
      if (there >= 0 && there < axis.points) return there;
      if (!axis.is_periodic) return at;
      return there < 0 ? axis.points - 1 : 0;
    };
    here = begin(y, z);
    before_y = begin(neighbour(a.axes[1], y, -1), z);
    behind_y = begin(neighbour(a.axes[1], y, 1), z);
    before_z = begin(y, neighbour(a.axes[2], z, -1));
    behind_z = begin(y, neighbour(a.axes[2], z, 1));
    low_y = read(a.axes[1].low, y);
    high_y = read(a.axes[1].high, y);
    low_z = read(a.axes[2].low, z);
    high_z = read(a.axes[2].high, z);
    diagonal = low_y + high_y + low_z + high_z + a.shift;
    if (before_y == here) low_y = 0;
    if (behind_y == here) high_y = 0;
    if (before_z == here) low_z = 0;
    if (behind_z == here) high_z = 0;
  }

  /// b - A u and the diagonal at a point, whose neighbours in x are at `before` and `behind` with
  /// these weights.
  struct Point {
    T residual, diagonal, u;
  };
  template <class Read>
  RIDGE_FN Point at(const Span<const T>& u, const Span<const T>& b, int x, int before, int behind,
                    T low, T high, T in_diagonal, const Read& read) const {
    const T own = read(u, here + x);
    const T d = diagonal + in_diagonal;
    const T neighbours = (low * read(u, here + before) + high * read(u, here + behind)) +
                         (low_y * read(u, before_y + x) + high_y * read(u, behind_y + x)) +
                         (low_z * read(u, before_z + x) + high_z * read(u, behind_z + x));
    return {read(b, here + x) + (neighbours - d * own), d, own};
  }
};

/// The weights of the neighbours in x of point x, as a Row wants them.
template <class T>
struct AlongX {
  int before, behind;
  T low, high, diagonal;

  template <class Read>
  RIDGE_FN AlongX(const AxisTables<T>& axis, int x, const Read& read) {
    low = read(axis.low, x);
    high = read(axis.high, x);
    diagonal = low + high;
    before = x - 1;
    behind = x + 1;
    if (before < 0) {
      before = axis.is_periodic ? axis.points - 1 : x;
      if (!axis.is_periodic) low = 0;
    }
    if (behind >= axis.points) {
      behind = axis.is_periodic ? 0 : x;
      if (!axis.is_periodic) high = 0;
    }
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

/// The rows of a level that a part of its norms is of.
struct Rows {
  Index begin, end;
  template <class T>
  RIDGE_FN Rows(const Norms<T>& n, Index part) {
    const Index rows = Index{n.a.axes[1].points} * n.a.axes[2].points;
    const Index parts = n.sums.size / 2;
    begin = rows * part / parts;
    end = rows * (part + 1) / parts;
  }
};

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

/// What the faces add at a point, given as of the packed points.
template <class T, class Read>
RIDGE_FN T face_terms(const Gathered<T>& g, Index x, Index y, Index z, const Read& read) {
  const Index at[3] = {x, y, z};
  const Index points[3] = {g.points.x, g.points.y, g.points.z};
  const Index full[3] = {g.from.extents.x, g.from.extents.y, g.from.extents.z};
  const Index in_field[3] = {x + g.first.x, y + g.first.y, z + g.first.z};
  T sum = 0;
  for (int a = 0; a < 3; ++a) {
    const int first = a == 0 ? 1 : 0; // the axes of the face
    const int second = a == 2 ? 1 : 2;
    for (int side = 0; side < 2; ++side) {
      if (at[a] != (side == 0 ? 0 : points[a] - 1)) continue;
      const FaceTerm<T>& face =
          g.faces[static_cast<std::size_t>(a)][static_cast<std::size_t>(side)];
      if (face.scale == T(0)) continue;
      const T value = face.values.size == 0
                          ? face.value
                          : read(face.values, in_field[first] + full[first] * in_field[second]);
      sum += face.scale * value;
    }
  }
  return sum;
}

/// The value of a point on a face that holds values, z before y before x; false where it is on
/// none.
template <class T, class Read>
RIDGE_FN bool on_face(const Scattered<T>& s, Index x, Index y, Index z, T& value,
                      const Read& read) {
  const Index at[3] = {x, y, z};
  const Index full[3] = {s.to.extents.x, s.to.extents.y, s.to.extents.z};
  for (int a = 2; a >= 0; --a) {
    const int first = a == 0 ? 1 : 0;
    const int second = a == 2 ? 1 : 2;
    for (int side = 0; side < 2; ++side) {
      const FaceTerm<T>& face =
          s.faces[static_cast<std::size_t>(a)][static_cast<std::size_t>(side)];
      if (face.scale == T(0) || at[a] != (side == 0 ? 0 : full[a] - 1)) continue;
      value = face.values.size == 0 ? face.value
                                    : read(face.values, at[first] + full[first] * at[second]);
      return true;
    }
  }
  return false;
}

#if defined(RIDGE_TARGET_CPU)

struct Plain {
  template <class T>
  RIDGE_FN std::remove_const_t<T> operator()(const Span<T>& from, Index i) const {
    return from.data[i];
  }
};

/// Waking threads takes longer than so many points.
constexpr Index few = 4096;

/// Calls `work(y, z)` for all rows, threads having neighbouring ones.
template <class Work>
void for_rows(Index nx, Index ny, Index nz, const Work& work) {
  const Index rows = ny * nz;
  cpu::run(rows * nx < few ? 1 : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(rows, thread, threads);
    for (Index row = mine.begin; row < mine.end; ++row)
      work(static_cast<int>(row % ny), static_cast<int>(row / ny));
  });
}

/// Calls `store(x, point)` along a row, in packs but for its ends.
template <class T, class Store>
RIDGE_FN void along_row(const Operator<T>& a, const Row<T>& row, const Span<const T>& u,
                        const Span<const T>& b, const Store& store) {
  const Plain read;
  const AxisTables<T>& axis = a.axes[0];
  const int n = axis.points;
  const auto end = [&](int x) {
    const AlongX<T> w(axis, x, read);
    store(x, row.at(u, b, x, w.before, w.behind, w.low, w.high, w.diagonal, read));
  };
  end(0);
#pragma GCC ivdep
  for (int x = 1; x < n - 1; ++x) {
    const T low = axis.low.data[x];
    const T high = axis.high.data[x];
    store(x, row.at(u, b, x, x - 1, x + 1, low, high, low + high, read));
  }
  if (n > 1) end(n - 1);
}

template <class T>
void sweep(Queue& /*queue*/, const Sweep<T>& s) {
  const auto& axes = s.a.axes;
  for_rows(axes[0].points, axes[1].points, axes[2].points, [&](int y, int z) {
    const Row<T> row(s.a, y, z, Plain{});
    T* const out = s.out.data + row.here;
    if (s.u.size == 0) {
      const T* const b = s.b.data + row.here;
      const T* const low = axes[0].low.data;
      const T* const high = axes[0].high.data;
      const T weight = s.weight;
      const T diagonal = row.diagonal;
      const int points = axes[0].points;
#pragma GCC ivdep
      for (int x = 0; x < points; ++x)
        out[x] = weight * b[x] / (diagonal + (low[x] + high[x]));
      return;
    }
    along_row(s.a, row, s.u, s.b, [&](int x, const typename Row<T>::Point& p) {
      out[x] = p.u + s.weight * p.residual / p.diagonal;
    });
  });
}

template <class T>
void residual(Queue& /*queue*/, const Residual<T>& r) {
  const auto& axes = r.a.axes;
  for_rows(axes[0].points, axes[1].points, axes[2].points, [&](int y, int z) {
    const Row<T> row(r.a, y, z, Plain{});
    T* const out = r.out.data + row.here;
    along_row(r.a, row, r.u, r.b,
              [&](int x, const typename Row<T>::Point& p) { out[x] = p.residual; });
  });
}

template <class T>
void norms(Queue& /*queue*/, const Norms<T>& n) {
  const auto& axes = n.a.axes;
  const Plain read;
  // A part is added up by one thread, row after row: bits do not depend on how many there are.
  const Index parts = n.sums.size / 2;
  cpu::run(count_of(n.a) < few ? 1 : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(parts, thread, threads);
    for (Index part = mine.begin; part < mine.end; ++part) {
      double squares = 0;
      double weighted = 0;
      const Rows rows(n, part);
      for (Index i = rows.begin; i < rows.end; ++i) {
        const int y = static_cast<int>(i % axes[1].points);
        const int z = static_cast<int>(i / axes[1].points);
        const Row<T> row(n.a, y, z, read);
        double row_squares[8] = {};
        double row_weighted[8] = {};
        const auto add = [&](int x, T value) {
          const auto r = static_cast<double>(value);
          row_squares[x % 8] += r * r;
          row_weighted[x % 8] += static_cast<double>(axes[0].volume.data[x]) * r;
        };
        if (n.u.size == 0) {
          for (int x = 0; x < axes[0].points; ++x)
            add(x, n.b.data[row.here + x]);
        } else {
          along_row(n.a, row, n.u, n.b,
                    [&](int x, const typename Row<T>::Point& p) { add(x, p.residual); });
        }
        const double volume = static_cast<double>(axes[1].volume.data[y]) *
                              static_cast<double>(axes[2].volume.data[z]);
        for (int k = 0; k < 8; ++k) {
          squares += row_squares[k];
          weighted += volume * row_weighted[k];
        }
      }
      n.sums.data[2 * part] = squares;
      n.sums.data[2 * part + 1] = weighted;
    }
  });
}

template <class T>
void restricted(Queue& /*queue*/, const Restriction<T>& r) {
  const auto& ax = r.axes[0];
  const auto& ay = r.axes[1];
  const auto& az = r.axes[2];
  const Plain read;
  const Index rows = Index{ay.coarse} * az.coarse;
  cpu::run(rows * ax.coarse < few ? 1 : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(rows, thread, threads);
    std::vector<T> sum(static_cast<std::size_t>(ax.fine)); // of fine rows, before x is restricted
    for (Index row = mine.begin; row < mine.end; ++row) {
      const int y = static_cast<int>(row % ay.coarse);
      const int z = static_cast<int>(row / ay.coarse);
      std::fill(sum.begin(), sum.end(), T(0));
      T* const to = sum.data();
      each_taken(az, z, read, [&](int fine_z, T z_weight) {
        each_taken(ay, y, read, [&](int fine_y, T y_weight) {
          const T weight = z_weight * y_weight;
          const T* const from = r.fine.data + ax.fine * (fine_y + Index{ay.fine} * fine_z);
#pragma GCC ivdep
          for (int x = 0; x < ax.fine; ++x)
            to[x] += weight * from[x];
        });
      });
      T* const coarse = r.coarse.data + ax.coarse * row;
      for (int x = 0; x < ax.coarse; ++x) {
        T taken = 0;
        each_taken(ax, x, read, [&](int fine_x, T weight) { taken += weight * to[fine_x]; });
        coarse[x] = taken;
      }
    }
  });
}

template <class T>
void interpolated(Queue& /*queue*/, const Interpolation<T>& p) {
  const auto& ax = p.axes[0];
  const auto& ay = p.axes[1];
  const auto& az = p.axes[2];
  const Plain read;
  const Index rows = Index{ay.fine} * az.fine;
  cpu::run(rows * ax.fine < few ? 1 : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(rows, thread, threads);
    std::vector<T> sum(static_cast<std::size_t>(ax.coarse));
    for (Index row = mine.begin; row < mine.end; ++row) {
      const Between<T> in_y(ay, static_cast<int>(row % ay.fine), read);
      const Between<T> in_z(az, static_cast<int>(row / ay.fine), read);
      const auto from = [&](int y, int z) {
        return p.coarse.data + ax.coarse * (y + Index{ay.coarse} * z);
      };
      const T* const rows_of[4] = {from(in_y.left, in_z.left), from(in_y.right, in_z.left),
                                   from(in_y.left, in_z.right), from(in_y.right, in_z.right)};
      const T w[4] = {in_y.left_weight * in_z.left_weight, in_y.right_weight * in_z.left_weight,
                      in_y.left_weight * in_z.right_weight, in_y.right_weight * in_z.right_weight};
      T* const to = sum.data();
#pragma GCC ivdep
      for (int x = 0; x < ax.coarse; ++x)
        to[x] = (w[0] * rows_of[0][x] + w[1] * rows_of[1][x]) +
                (w[2] * rows_of[2][x] + w[3] * rows_of[3][x]);
      T* const fine = p.fine.data + ax.fine * row;
      for (int x = 0; x < ax.fine; ++x) {
        const T value = ax.left_weight.data[x] * to[ax.left.data[x]] +
                        ax.right_weight.data[x] * to[ax.right.data[x]];
        fine[x] = p.adds ? fine[x] + value : value;
      }
    }
  });
}

template <class T>
void exact(Queue& /*queue*/, const Exact<T>& e) {
  std::fill(e.u.data, e.u.data + e.u.size, T(0));
  for (Index i = 0; i < e.b.size; ++i) {
#pragma GCC ivdep
    for (Index row = 0; row < e.u.size; ++row)
      e.u.data[row] += e.matrix.data[i * e.u.size + row] * e.b.data[i];
  }
}

template <class T>
void shifted(Queue& /*queue*/, const Shifted<T>& s) {
  cpu::run(s.to.size < few ? 1 : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(s.to.size, thread, threads, 64);
    for (Index i = mine.begin; i < mine.end; ++i)
      s.to.data[i] += s.number;
  });
}

template <class T>
void gathered(Queue& /*queue*/, const Gathered<T>& g) {
  for_rows(g.points.x, g.points.y, g.points.z, [&](int y, int z) {
    const T* const from = g.from.data + g.from.at(g.first.x, y + g.first.y, z + g.first.z);
    T* const to = g.to.data + g.points.x * (y + g.points.y * z);
    const bool inside = y > 0 && y < g.points.y - 1 && z > 0 && z < g.points.z - 1;
    const Index last = g.points.x - 1;
    for (Index x = 0; x <= last; ++x)
      to[x] = g.scale * from[x];
    for (Index x = 0; x <= last; x += inside && x == 0 && last > 0 ? last : 1)
      to[x] += face_terms(g, x, y, z, Plain{});
  });
}

template <class T>
void scattered(Queue& /*queue*/, const Scattered<T>& s) {
  const Index3 n = s.to.extents;
  for_rows(n.x, n.y, n.z, [&](int y, int z) {
    T* const to = s.to.data + s.to.at(0, y, z);
    const Index row = s.points.x * ((y - s.first.y) + s.points.y * (z - s.first.z)) - s.first.x;
    for (Index x = 0; x < n.x; ++x) {
      T value;
      to[x] = on_face(s, x, y, z, value, Plain{}) ? value : s.from.data[row + x];
    }
  });
}

#else

constexpr int block = 256;

template <class Lane>
struct Loads {
  const Lane& lane;
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> operator()(const Span<T>& from, Index i) const {
    return lane.load(from, i);
  }
};

/// Threads side by side in x, then in y; a thread a point.
struct Place {
  Index x, y, z;
  template <class Lane>
  RIDGE_DEVICE Place(const Lane& lane, int wide, int high)
      : x(Index{lane.block().x} * wide + lane.thread().x),
        y(Index{lane.block().y} * high + lane.thread().y), z(lane.block().z) {}
};

/// A block of threads is this wide in x for so many points.
inline int wide_for(Index nx) {
  int wide = 32;
  while (wide > 8 && wide / 2 >= nx)
    wide /= 2;
  return wide;
}

/// A pass over boxes of points, of so many planes a thread where there are enough of them to fill a
/// GPU. GPUs take at most 65535 blocks along y and z.
template <class Body>
void launch_over(Queue& queue, Index nx, Index ny, Index nz, Body body, int planes = 1) {
  constexpr Index filled = 1024; // blocks
  const int wide = wide_for(nx);
  const int high = block / wide;
  while (planes > 1 && ceil_div(nx, wide) * ceil_div(ny, high) * ceil_div(nz, planes) < filled)
    planes /= 2;
  body.wide = wide;
  body.high = high;
  body.planes = std::max(planes, static_cast<int>(ceil_div(nz, 65535)));
  launch_body(queue,
              {{static_cast<int>(ceil_div(nx, wide)), static_cast<int>(ceil_div(ny, high)),
                static_cast<int>(ceil_div(nz, body.planes))},
               {wide, high, 1},
               0},
              body);
}

/// Calls `work(x, y, z)` for the points of this thread: `planes` neighbours in z.
struct Boxes {
  int wide = 32, high = 8, planes = 1;
  template <class Lane, class Work>
  RIDGE_DEVICE void each(const Lane& lane, Index nx, Index ny, Index nz, const Work& work) const {
    const Place at(lane, wide, high);
    if (at.x >= nx || at.y >= ny) return;
    for (int k = 0; k < planes; ++k) {
      const Index z = at.z * planes + k;
      if (z < nz) work(static_cast<int>(at.x), static_cast<int>(at.y), static_cast<int>(z));
    }
  }
};

/// b - A u at the points of a thread's column, plane after plane: what lies above and below stays
/// in registers. Calls `use(index, point)`.
template <class T, class Lane, class Use>
RIDGE_DEVICE void each_residual(const Boxes& boxes, const Lane& lane, const Operator<T>& a,
                                const Span<const T>& u, const Span<const T>& b, const Use& use) {
  const Loads<Lane> read{lane};
  const Place at(lane, boxes.wide, boxes.high);
  const AxisTables<T>& in_z = a.axes[2];
  if (at.x >= a.axes[0].points || at.y >= a.axes[1].points) return;
  const int x = static_cast<int>(at.x);
  const int y = static_cast<int>(at.y);
  const AlongX<T> w(a.axes[0], x, read);
  const int begin = static_cast<int>(at.z) * boxes.planes;
  const int end = begin + boxes.planes < in_z.points ? begin + boxes.planes : in_z.points;
  T below = 0;
  T own = 0;
  for (int z = begin; z < end; ++z) {
    const Row<T> row(a, y, z, read);
    if (z == begin) {
      below = read(u, row.before_z + x);
      own = read(u, row.here + x);
    }
    const T above = read(u, row.behind_z + x);
    const T d = row.diagonal + w.diagonal;
    const T neighbours =
        (w.low * read(u, row.here + w.before) + w.high * read(u, row.here + w.behind)) +
        (row.low_y * read(u, row.before_y + x) + row.high_y * read(u, row.behind_y + x)) +
        (row.low_z * below + row.high_z * above);
    use(row.here + x,
        typename Row<T>::Point{read(b, row.here + x) + (neighbours - d * own), d, own});
    below = own;
    own = above;
  }
}

template <class T>
struct SweepBody : Boxes {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid sweep";
  Sweep<T> s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    if (s.u.size == 0) {
      const auto& axes = s.a.axes;
      const Loads<Lane> read{lane};
      each(lane, axes[0].points, axes[1].points, axes[2].points, [&](int x, int y, int z) {
        const Row<T> row(s.a, y, z, read);
        const AlongX<T> w(axes[0], x, read);
        lane.store(s.out, row.here + x,
                   s.weight * read(s.b, row.here + x) / (row.diagonal + w.diagonal));
      });
      return;
    }
    each_residual(*this, lane, s.a, s.u, s.b, [&](Index at, const typename Row<T>::Point& p) {
      lane.store(s.out, at, p.u + s.weight * p.residual / p.diagonal);
    });
  }
};
template <class T>
void sweep(Queue& queue, const Sweep<T>& s) {
  const auto& axes = s.a.axes;
  launch_over(queue, axes[0].points, axes[1].points, axes[2].points, SweepBody<T>{{}, s}, 8);
}

template <class T>
struct ResidualBody : Boxes {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid residual";
  Residual<T> r;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    each_residual(*this, lane, r.a, r.u, r.b, [&](Index at, const typename Row<T>::Point& p) {
      lane.store(r.out, at, p.residual);
    });
  }
};
template <class T>
void residual(Queue& queue, const Residual<T>& r) {
  const auto& axes = r.a.axes;
  launch_over(queue, axes[0].points, axes[1].points, axes[2].points, ResidualBody<T>{{}, r}, 8);
}

/// A block a part: each thread adds up its points, then the threads' sums are, in a fixed order.
template <class T>
struct NormsBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid norms";
  Norms<T> n;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const auto& axes = n.a.axes;
    const Loads<Lane> read{lane};
    const Index part = lane.block().x;
    const Rows rows(n, part);
    const int t = lane.thread().x;
    double squares = 0;
    double weighted = 0;
    const Index end = axes[0].points * rows.end;
    for (Index i = axes[0].points * rows.begin + t; i < end; i += block) {
      const int x = static_cast<int>(i % axes[0].points);
      const Index at = i / axes[0].points;
      const int y = static_cast<int>(at % axes[1].points);
      const int z = static_cast<int>(at / axes[1].points);
      const Row<T> row(n.a, y, z, read);
      T r;
      if (n.u.size == 0) {
        r = read(n.b, row.here + x);
      } else {
        const AlongX<T> w(axes[0], x, read);
        r = row.at(n.u, n.b, x, w.before, w.behind, w.low, w.high, w.diagonal, read).residual;
      }
      const auto value = static_cast<double>(r);
      squares += value * value;
      weighted += value * static_cast<double>(read(axes[0].volume, x)) *
                  static_cast<double>(read(axes[1].volume, y)) *
                  static_cast<double>(read(axes[2].volume, z));
    }
    const auto shared = lane.template shared<double>(0, 2 * block);
    shared[t] = squares;
    shared[block + t] = weighted;
    for (int half = block / 2; half > 0; half /= 2) {
      lane.barrier();
      if (t < half) {
        const double a = shared[t + half];
        const double b = shared[block + t + half];
        const double own_a = shared[t];
        const double own_b = shared[block + t];
        shared[t] = own_a + a;
        shared[block + t] = own_b + b;
      }
    }
    if (t == 0) {
      const double a = shared[0];
      const double b = shared[block];
      lane.store(n.sums, 2 * part, a);
      lane.store(n.sums, 2 * part + 1, b);
    }
  }
};
template <class T>
void norms(Queue& queue, const Norms<T>& n) {
  launch_body(queue, {{static_cast<int>(n.sums.size / 2), 1, 1}, {block, 1, 1}, 2 * block * 8},
              NormsBody<T>{n});
}

template <class T>
struct RestrictionBody : Boxes {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid restriction";
  Restriction<T> r;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Loads<Lane> read{lane};
    const auto& ax = r.axes[0];
    const auto& ay = r.axes[1];
    const auto& az = r.axes[2];
    each(lane, ax.coarse, ay.coarse, az.coarse, [&](int x, int y, int z) {
      T sum = 0;
      each_taken(az, z, read, [&](int fine_z, T z_weight) {
        each_taken(ay, y, read, [&](int fine_y, T y_weight) {
          const Index row = ax.fine * (fine_y + Index{ay.fine} * fine_z);
          T in_row = 0;
          each_taken(ax, x, read,
                     [&](int fine_x, T weight) { in_row += weight * read(r.fine, row + fine_x); });
          sum += z_weight * y_weight * in_row;
        });
      });
      lane.store(r.coarse, x + ax.coarse * (y + Index{ay.coarse} * z), sum);
    });
  }
};
template <class T>
void restricted(Queue& queue, const Restriction<T>& r) {
  launch_over(queue, r.axes[0].coarse, r.axes[1].coarse, r.axes[2].coarse,
              RestrictionBody<T>{{}, r});
}

template <class T>
struct InterpolationBody : Boxes {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid interpolation";
  Interpolation<T> p;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Loads<Lane> read{lane};
    const auto& ax = p.axes[0];
    const auto& ay = p.axes[1];
    const auto& az = p.axes[2];
    each(lane, ax.fine, ay.fine, az.fine, [&](int x, int y, int z) {
      const Between<T> in_x(ax, x, read);
      const Between<T> in_y(ay, y, read);
      const Between<T> in_z(az, z, read);
      const auto along = [&](int at_y, int at_z) {
        const Index row = ax.coarse * (at_y + Index{ay.coarse} * at_z);
        return in_x.left_weight * read(p.coarse, row + in_x.left) +
               in_x.right_weight * read(p.coarse, row + in_x.right);
      };
      T value = in_z.left_weight * (in_y.left_weight * along(in_y.left, in_z.left) +
                                    in_y.right_weight * along(in_y.right, in_z.left)) +
                in_z.right_weight * (in_y.left_weight * along(in_y.left, in_z.right) +
                                     in_y.right_weight * along(in_y.right, in_z.right));
      const Index at = x + ax.fine * (y + Index{ay.fine} * z);
      if (p.adds) value += lane.load_written(p.fine, at);
      lane.store(p.fine, at, value);
    });
  }
};
template <class T>
void interpolated(Queue& queue, const Interpolation<T>& p) {
  launch_over(queue, p.axes[0].fine, p.axes[1].fine, p.axes[2].fine, InterpolationBody<T>{{}, p});
}

/// A thread a row.
template <class T>
struct ExactBody {
  static constexpr int max_threads = 64;
  static constexpr const char* name = "multigrid exact";
  Exact<T> e;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index row = Index{lane.block().x} * max_threads + lane.thread().x;
    if (row >= e.u.size) return;
    T sum = 0;
    for (Index i = 0; i < e.b.size; ++i)
      sum += lane.load(e.matrix, i * e.u.size + row) * lane.load(e.b, i);
    lane.store(e.u, row, sum);
  }
};
template <class T>
void exact(Queue& queue, const Exact<T>& e) {
  launch_body(queue, {{static_cast<int>(ceil_div(e.u.size, 64)), 1, 1}, {64, 1, 1}, 0},
              ExactBody<T>{e});
}

template <class T>
struct ShiftedBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid mean";
  Shifted<T> s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i < s.to.size) lane.store(s.to, i, lane.load_written(s.to, i) + s.number);
  }
};
template <class T>
void shifted(Queue& queue, const Shifted<T>& s) {
  launch_body(queue, {{static_cast<int>(ceil_div(s.to.size, block)), 1, 1}, {block, 1, 1}, 0},
              ShiftedBody<T>{s});
}

template <class T>
struct GatheredBody : Boxes {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid right-hand side";
  Gathered<T> g;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Loads<Lane> read{lane};
    each(lane, g.points.x, g.points.y, g.points.z, [&](int x, int y, int z) {
      const Index from = g.from.at(x + g.first.x, y + g.first.y, z + g.first.z);
      lane.store(g.to, x + g.points.x * (y + g.points.y * z),
                 g.scale * read(g.from.elements(), from) + face_terms(g, x, y, z, read));
    });
  }
};
template <class T>
void gathered(Queue& queue, const Gathered<T>& g) {
  launch_over(queue, g.points.x, g.points.y, g.points.z, GatheredBody<T>{{}, g});
}

template <class T>
struct ScatteredBody : Boxes {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid solution";
  Scattered<T> s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Loads<Lane> read{lane};
    const Index3 n = s.to.extents;
    each(lane, n.x, n.y, n.z, [&](int x, int y, int z) {
      T value;
      if (!on_face(s, x, y, z, value, read)) {
        value = read(s.from, (x - s.first.x) +
                                 s.points.x * ((y - s.first.y) + s.points.y * (z - s.first.z)));
      }
      lane.store(s.to.elements(), s.to.at(x, y, z), value);
    });
  }
};
template <class T>
void scattered(Queue& queue, const Scattered<T>& s) {
  launch_over(queue, s.to.extents.x, s.to.extents.y, s.to.extents.z, ScatteredBody<T>{{}, s});
}

#endif

/// All passes in one precision.
template <class T>
struct Passes {
  Offer all[9] = {{kind_of<Here>, typeid(Sweep<T>), &sweep<T>},
                  {kind_of<Here>, typeid(Residual<T>), &residual<T>},
                  {kind_of<Here>, typeid(Norms<T>), &norms<T>},
                  {kind_of<Here>, typeid(Restriction<T>), &restricted<T>},
                  {kind_of<Here>, typeid(Interpolation<T>), &interpolated<T>},
                  {kind_of<Here>, typeid(Exact<T>), &exact<T>},
                  {kind_of<Here>, typeid(Shifted<T>), &shifted<T>},
                  {kind_of<Here>, typeid(Gathered<T>), &gathered<T>},
                  {kind_of<Here>, typeid(Scattered<T>), &scattered<T>}};
};
const Passes<float> floats;
const Passes<double> doubles;

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
