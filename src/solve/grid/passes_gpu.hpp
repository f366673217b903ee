// The passes of multigrid on GPUs, real and emulated.
#pragma once

#include <ridge/device/launch.hpp>

#include "points.hpp"

#include <algorithm>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

constexpr int block = 256;

template <class Lane>
struct Access {
  const Lane& lane;
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> operator()(const Span<T>& from, Index i) const {
    return lane.load(from, i);
  }
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> read(const Span<T>& from, Index i) const {
    return lane.load(from, i);
  }
  template <class T>
  RIDGE_DEVICE T read_written(const Span<T>& from, Index i) const {
    return lane.load_written(from, i);
  }
  template <class T>
  RIDGE_DEVICE void store(const Span<T>& to, Index i, std::type_identity_t<T> value) const {
    lane.store(to, i, value);
  }
};

/// Threads side by side in x, then in y; each has `planes` neighbouring planes.
struct Boxes {
  Index nx = 0, ny = 0, nz = 0;
  int wide = 32, high = 8, planes = 1;

  Boxes() = default;
  /// Of `most` planes a thread where there are enough blocks to fill a GPU.
  Boxes(Index3 n, int most) : nx(n.x), ny(n.y), nz(n.z), planes(most) {
    while (wide < block && ny * nz == 1)
      wide *= 2;
    while (wide > 8 && wide / 2 >= nx)
      wide /= 2;
    high = block / wide;
    constexpr Index filled = 1024; // blocks
    while (planes > 1 && blocks_across() * ceil_div(nz, planes) < filled)
      planes /= 2;
    constexpr Index most_blocks = 65535; // along y and z
    planes = std::max(planes, static_cast<int>(ceil_div(nz, most_blocks)));
  }
  [[nodiscard]] Index blocks_across() const { return ceil_div(nx, wide) * ceil_div(ny, high); }
  [[nodiscard]] LaunchShape shape() const {
    return {{static_cast<int>(ceil_div(nx, wide)), static_cast<int>(ceil_div(ny, high)),
             static_cast<int>(ceil_div(nz, planes))},
            {wide, high, 1},
            0};
  }

  /// Calls `column(x, y, begin, end)` with the planes of this thread.
  template <class Lane, class Column>
  RIDGE_DEVICE void column(const Lane& lane, const Column& column) const {
    const Index x = Index{lane.block().x} * wide + lane.thread().x;
    const Index y = Index{lane.block().y} * high + lane.thread().y;
    const Index begin = Index{lane.block().z} * planes;
    if (x < nx && y < ny) column(x, y, begin, begin + planes < nz ? begin + planes : nz);
  }
};

template <class T>
Index3 points_of(const std::array<AxisTables<T>, 3>& axes) {
  return {axes[0].points, axes[1].points, axes[2].points};
}

/// b - A u at the points of a thread's column, plane after plane: what lies above and below stays
/// in registers. Calls `use(index, point)`.
template <class T, class Lane, class Use>
RIDGE_DEVICE void each_residual(const Boxes& boxes, const Lane& lane, const Operator<T>& a,
                                const Span<const T>& u, const Span<const T>& b, const Use& use) {
  const Access<Lane> read{lane};
  boxes.column(lane, [&](Index at_x, Index at_y, Index begin, Index end) {
    const int x = static_cast<int>(at_x);
    const int y = static_cast<int>(at_y);
    const AlongX<T> w(a.axes[0], x, read);
    T below = 0;
    T own = 0;
    for (Index z = begin; z < end; ++z) {
      const Row<T> row(a, y, static_cast<int>(z), read);
      if (z == begin) {
        below = read(u, row.before_z + x);
        own = read(u, row.here + x);
      }
      const T above = read(u, row.behind_z + x);
      use(row.here + x, a.k.size == 0 ? row.plain(a, u, b, x, w, own, below, above, read)
                                      : row.varied(a, u, b, x, w, own, below, above, read));
      below = own;
      own = above;
    }
  });
}

constexpr int most_planes = 8;

/// What a pass of the operator stores at a point.
template <class T>
RIDGE_DEVICE T stored(const Sweep<T>& s, const PointOf<T>& p) {
  return p.u + s.weight * p.residual / p.diagonal;
}
template <class T>
RIDGE_DEVICE T stored(const Residual<T>&, const PointOf<T>& p) {
  return p.residual;
}
template <class T>
RIDGE_DEVICE T stored(const Applied<T>&, const PointOf<T>& p) {
  return -p.residual;
}
template <class T>
RIDGE_DEVICE Span<const T> right_side(const Sweep<T>& s) {
  return s.b;
}
template <class T>
RIDGE_DEVICE Span<const T> right_side(const Residual<T>& r) {
  return r.b;
}
template <class T>
RIDGE_DEVICE Span<const T> right_side(const Applied<T>&) {
  return {};
}

template <class T, class Pass>
struct OperatorBody {
  static constexpr int max_threads = block;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "multigrid operator";
  Pass pass;
  Boxes boxes;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    each_residual(
        boxes, lane, pass.a, pass.u, right_side(pass),
        [&](Index at, const PointOf<T>& p) { lane.store(pass.out, at, stored(pass, p)); });
  }
};
template <class T, class Pass>
void give_operator(Queue& queue, const Pass& pass) {
  const Boxes boxes(points_of(pass.a.axes), most_planes);
  launch_body(queue, boxes.shape(), OperatorBody<T, Pass>{pass, boxes});
}

template <class T>
struct FirstSweepBody {
  static constexpr int max_threads = block;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "multigrid sweep from zero";
  Sweep<T> s;
  Boxes boxes;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    boxes.column(lane, [&](Index x, Index y, Index begin, Index end) {
      const AlongX<T> w(s.a.axes[0], static_cast<int>(x), read);
      for (Index z = begin; z < end; ++z) {
        const Row<T> row(s.a, static_cast<int>(y), static_cast<int>(z), read);
        lane.store(s.out, row.here + x,
                   s.weight * read(s.b, row.here + x) /
                       row.diagonal(s.a, static_cast<int>(x), w, read));
      }
    });
  }
};
template <class T>
void sweep(Queue& queue, const Sweep<T>& s) {
  if (s.u.size != 0) {
    give_operator<T>(queue, s);
    return;
  }
  const Boxes boxes(points_of(s.a.axes), most_planes);
  launch_body(queue, boxes.shape(), FirstSweepBody<T>{s, boxes});
}
template <class T>
void residual(Queue& queue, const Residual<T>& r) {
  give_operator<T>(queue, r);
}
template <class T>
void applied(Queue& queue, const Applied<T>& a) {
  give_operator<T>(queue, a);
}

/// A block a part: each thread adds up its points, then the threads' sums are, in a fixed order.
/// Threads lie along rows, 32 a row. `row_at(y, z)` gives what gives, for the index and x of a
/// point of that row, a number to add, and one to add times the volume.
template <class T, class Lane, class RowAt>
RIDGE_DEVICE void sums_of(const Lane& lane, const std::array<AxisTables<T>, 3>& axes,
                          const Span<double>& sums, const RowAt& row_at) {
  constexpr int along = 32;
  const Access<Lane> read{lane};
  const Index nx = axes[0].points;
  const Index ny = axes[1].points;
  const Index part = lane.block().x;
  const Rows rows(ny * axes[2].points, sums.size / 2, part);
  const int t = lane.thread().x;
  double first = 0;
  double second = 0;
  for (Index row = rows.begin + t / along; row < rows.end; row += block / along) {
    const int z = static_cast<int>(row / ny);
    const int y = static_cast<int>(row - z * ny);
    const auto point = row_at(y, z);
    const double volume =
        static_cast<double>(read(axes[1].volume, y)) * static_cast<double>(read(axes[2].volume, z));
    double of_row = 0;
    for (int x = t % along; x < static_cast<int>(nx); x += along) {
      double plain = 0;
      double weighted = 0;
      point(row * nx + x, x, plain, weighted);
      first += plain;
      of_row += weighted * static_cast<double>(read(axes[0].volume, x));
    }
    second += of_row * volume;
  }
  const auto shared = lane.template shared<double>(0, 2 * block);
  shared[t] = first;
  shared[block + t] = second;
  for (int half = block / 2; half > 0; half /= 2) {
    lane.barrier();
    if (t < half) {
      const double a = shared[t];
      const double b = shared[t + half];
      const double c = shared[block + t];
      const double d = shared[block + t + half];
      shared[t] = a + b;
      shared[block + t] = c + d;
    }
  }
  if (t == 0) {
    const double a = shared[0];
    const double b = shared[block];
    lane.store(sums, 2 * part, a);
    lane.store(sums, 2 * part + 1, b);
  }
}
inline LaunchShape parts_of(const Span<double>& sums) {
  return {{static_cast<int>(sums.size / 2), 1, 1}, {block, 1, 1}, 2 * block * 8};
}

template <class T>
struct NormsBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid norms";
  Norms<T> n;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    sums_of(lane, n.a.axes, n.sums, [&](int y, int z) {
      return [&, row = Row<T>(n.a, y, z, read)](Index i, int x, double& plain, double& weighted) {
        T r;
        if (n.u.size == 0) {
          r = read(n.b, i);
        } else {
          const AlongX<T> w(n.a.axes[0], x, read);
          const T own = read(n.u, i);
          const T below = read(n.u, row.before_z + x);
          const T above = read(n.u, row.behind_z + x);
          r = n.a.k.size == 0 ? row.plain(n.a, n.u, n.b, x, w, own, below, above, read).residual
                              : row.varied(n.a, n.u, n.b, x, w, own, below, above, read).residual;
        }
        const auto value = static_cast<double>(r);
        plain = value * value;
        weighted = value;
      };
    });
  }
};
template <class T>
void norms(Queue& queue, const Norms<T>& n) {
  launch_body(queue, parts_of(n.sums), NormsBody<T>{n});
}

template <class T>
struct ProductBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid product";
  Product<T> p;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    sums_of(lane, p.axes, p.sums, [&](int, int) {
      return [&](Index i, int, double& plain, double& weighted) {
        plain = 0;
        weighted = static_cast<double>(read(p.x, i)) * static_cast<double>(read(p.y, i));
      };
    });
  }
};
template <class T>
void product(Queue& queue, const Product<T>& p) {
  launch_body(queue, parts_of(p.sums), ProductBody<T>{p});
}

template <class T>
struct RestrictionBody {
  static constexpr int max_threads = block;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "multigrid restriction";
  Restriction<T> r;
  Boxes boxes;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    const auto& ax = r.axes[0];
    const auto& ay = r.axes[1];
    boxes.column(lane, [&](Index x, Index y, Index begin, Index end) {
      for (Index z = begin; z < end; ++z) {
        T sum = 0;
        each_taken(r.axes[2], static_cast<int>(z), read, [&](int fine_z, T z_weight) {
          each_taken(ay, static_cast<int>(y), read, [&](int fine_y, T y_weight) {
            const Index row = ax.fine * (fine_y + Index{ay.fine} * fine_z);
            T in_row = 0;
            each_taken(ax, static_cast<int>(x), read, [&](int fine_x, T weight) {
              in_row += weight * read(r.fine, row + fine_x);
            });
            sum += z_weight * y_weight * in_row;
          });
        });
        lane.store(r.coarse, x + ax.coarse * (y + Index{ay.coarse} * z), sum);
      }
    });
  }
};
/// Where coarse points lie in steps: what a point takes is known without looking it up, so that all
/// of it is loaded at once.
template <class T>
struct SteppedRestrictionBody {
  static constexpr int max_threads = block;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "multigrid restriction in steps";
  Restriction<T> r;
  Boxes boxes;

  struct Three {
    int at[3];
    T weight[3];
    template <class Lane>
    RIDGE_DEVICE Three(const Lane& lane, const StepTables<T>& to, int points, int i) {
      RIDGE_UNROLL
      for (int k = 0; k < 3; ++k) {
        int there = to.first + (i << to.halved) + k - 1;
        if (to.is_periodic && there < 0) there += points;
        if (to.is_periodic && there >= points) there -= points;
        at[k] = there < 0 ? 0 : there >= points ? points - 1 : there; // of weight 0 beyond walls
        weight[k] = lane.load(to.taken, 3 * Index{i} + k);
      }
    }
  };

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int nx = r.axes[0].fine;
    const int ny = r.axes[1].fine;
    boxes.column(lane, [&](Index x, Index y, Index begin, Index end) {
      const Three in_x(lane, r.steps[0], nx, static_cast<int>(x));
      const Three in_y(lane, r.steps[1], ny, static_cast<int>(y));
      for (Index z = begin; z < end; ++z) {
        const Three in_z(lane, r.steps[2], r.axes[2].fine, static_cast<int>(z));
        T values[27];
        RIDGE_UNROLL
        for (int k = 0; k < 27; ++k)
          values[k] = lane.load(r.fine, in_x.at[k % 3] +
                                            nx * (in_y.at[k / 3 % 3] + Index{ny} * in_z.at[k / 9]));
        T sum = 0;
        RIDGE_UNROLL
        for (int k = 0; k < 27; k += 3) {
          const T in_row = in_x.weight[0] * values[k] + in_x.weight[1] * values[k + 1] +
                           in_x.weight[2] * values[k + 2];
          sum += in_z.weight[k / 9] * in_y.weight[k / 3 % 3] * in_row;
        }
        lane.store(r.coarse, x + r.axes[0].coarse * (y + Index{r.axes[1].coarse} * z), sum);
      }
    });
  }
};
template <class T>
void restricted(Queue& queue, const Restriction<T>& r) {
  const Boxes boxes({r.axes[0].coarse, r.axes[1].coarse, r.axes[2].coarse}, 1);
  if (r.in_steps) {
    launch_body(queue, boxes.shape(), SteppedRestrictionBody<T>{r, boxes});
  } else {
    launch_body(queue, boxes.shape(), RestrictionBody<T>{r, boxes});
  }
}

template <class T>
struct InterpolationBody {
  static constexpr int max_threads = block;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "multigrid interpolation";
  Interpolation<T> p;
  Boxes boxes;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    const auto& ax = p.axes[0];
    const auto& ay = p.axes[1];
    boxes.column(lane, [&](Index x, Index y, Index begin, Index end) {
      const Between<T> in_x(ax, static_cast<int>(x), read);
      const Between<T> in_y(ay, static_cast<int>(y), read);
      for (Index z = begin; z < end; ++z) {
        const Between<T> in_z(p.axes[2], static_cast<int>(z), read);
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
      }
    });
  }
};
template <class T>
void interpolated(Queue& queue, const Interpolation<T>& p) {
  const Boxes boxes({p.axes[0].fine, p.axes[1].fine, p.axes[2].fine}, 2);
  launch_body(queue, boxes.shape(), InterpolationBody<T>{p, boxes});
}

/// A block has `wide` rows, whose products its rows of threads share; then they are added in a
/// fixed order.
template <class T>
struct ExactBody {
  static constexpr int wide = 32;
  static constexpr int parts = 16;
  static constexpr int max_threads = wide * parts;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "multigrid exact";
  Exact<T> e;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int part = lane.thread().y;
    const Index row = Index{lane.block().x} * wide + lane.thread().x;
    T sum = 0;
    if (row < e.u.size) {
      for (Index i = part; i < e.b.size; i += parts)
        sum += lane.load(e.matrix, i * e.u.size + row) * lane.load(e.b, i);
    }
    const auto sums = lane.template shared<T>(0, max_threads);
    sums[lane.rank()] = sum;
    lane.barrier();
    if (part != 0 || row >= e.u.size) return;
    for (int p = 1; p < parts; ++p) {
      const T more = sums[p * wide + lane.thread().x];
      sum += more;
    }
    lane.store(e.u, row, sum);
  }
};
template <class T>
void exact(Queue& queue, const Exact<T>& e) {
  using Body = ExactBody<T>;
  launch_body(queue,
              {{static_cast<int>(ceil_div(e.u.size, Body::wide)), 1, 1},
               {Body::wide, Body::parts, 1},
               Body::max_threads * static_cast<int>(sizeof(T))},
              Body{e});
}

/// A pass of one number a point.
template <class Work>
struct PointBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = Work::name;
  Work work;
  Boxes boxes;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    boxes.column(lane, [&](Index x, Index y, Index begin, Index end) {
      for (Index z = begin; z < end; ++z)
        work(Access<Lane>{lane}, x, y, z);
    });
  }
};
template <class Work>
void each_point(Queue& queue, const Work& work) {
  const Boxes boxes(work.points(), 1);
  launch_body(queue, boxes.shape(), PointBody<Work>{work, boxes});
}

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
