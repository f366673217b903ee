// The passes of multigrid on GPUs, real and emulated.
#pragma once

#include <ridge/device/launch.hpp>

#include "transfers_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

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
struct ColouredSweepBody {
  static constexpr int max_threads = block;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "multigrid sweep of a colour";
  ColouredSweep<T> c;
  Boxes boxes;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    const Sweep<T>& s = c.sweep;
    const bool from_zero = s.u.size == 0;
    boxes.column(lane, [&](Index at_x, Index at_y, Index begin, Index end) {
      const int x = static_cast<int>(at_x);
      const int y = static_cast<int>(at_y);
      const AlongX<T> w(s.a.axes[0], x, read);
      for (Index at_z = begin; at_z < end; ++at_z) {
        const int z = static_cast<int>(at_z);
        const Row<T> row(s.a, y, z, read);
        T value = from_zero ? T(0) : read(s.u, row.here + x);
        if (((x + y + c.of_plane(z)) & 1) == 0) {
          if (from_zero) {
            value = s.weight * read(s.b, row.here + x) / row.diagonal(s.a, x, w, read);
          } else {
            const T below = read(s.u, row.before_z + x);
            const T above = read(s.u, row.behind_z + x);
            const PointOf<T> p = s.a.k.size == 0
                                     ? row.plain(s.a, s.u, s.b, x, w, value, below, above, read)
                                     : row.varied(s.a, s.u, s.b, x, w, value, below, above, read);
            value += s.weight * p.residual / p.diagonal;
          }
        }
        lane.store(s.out, row.here + x, value);
      }
    });
  }
};
template <class T>
void coloured_sweep(Queue& queue, const ColouredSweep<T>& c) {
  const Boxes boxes(points_of(c.sweep.a.axes), most_planes);
  launch_body(queue, boxes.shape(), ColouredSweepBody<T>{c, boxes});
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
/// point of that row, a number: its square is added if `Squares`, and it times the volume. A thread
/// has `Points` numbers under way.
template <bool Squares, int Points, class T, class Lane, class RowAt>
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
    for (int begin = t % along; begin < static_cast<int>(nx); begin += Points * along) {
      double numbers[Points];
      const auto each = [&](const auto& use) {
        RIDGE_UNROLL
        for (int k = 0; k < Points; ++k) {
          const int x = begin + k * along;
          if (x < static_cast<int>(nx)) use(k, x);
        }
      };
      each([&](int k, int x) { numbers[k] = point(row * nx + x, x); });
      each([&](int k, int x) {
        if constexpr (Squares) first += numbers[k] * numbers[k];
        of_row += numbers[k] * static_cast<double>(read(axes[0].volume, x));
      });
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

/// Norms of b, or of b - A u.
template <class T, bool OfResidual>
struct NormsBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid norms";
  Norms<T> n;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    if constexpr (OfResidual) {
      sums_of<true, 1>(lane, n.a.axes, n.sums, [&](int y, int z) {
        return [&, row = Row<T>(n.a, y, z, read)](Index i, int x) {
          const AlongX<T> w(n.a.axes[0], x, read);
          const T own = read(n.u, i);
          const T below = read(n.u, row.before_z + x);
          const T above = read(n.u, row.behind_z + x);
          return static_cast<double>(
              n.a.k.size == 0 ? row.plain(n.a, n.u, n.b, x, w, own, below, above, read).residual
                              : row.varied(n.a, n.u, n.b, x, w, own, below, above, read).residual);
        };
      });
    } else {
      sums_of<true, 4>(lane, n.a.axes, n.sums, [&](int, int) {
        return [&](Index i, int) { return static_cast<double>(read(n.b, i)); };
      });
    }
  }
};
template <class T>
void norms(Queue& queue, const Norms<T>& n) {
  if (n.u.size == 0) {
    launch_body(queue, parts_of(n.sums), NormsBody<T, false>{n});
  } else {
    launch_body(queue, parts_of(n.sums), NormsBody<T, true>{n});
  }
}

template <class T>
struct ProductBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid product";
  Product<T> p;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> read{lane};
    sums_of<false, 4>(lane, p.axes, p.sums, [&](int, int) {
      return [&](Index i, int) {
        return static_cast<double>(read(p.x, i)) * static_cast<double>(read(p.y, i));
      };
    });
  }
};
template <class T>
void product(Queue& queue, const Product<T>& p) {
  launch_body(queue, parts_of(p.sums), ProductBody<T>{p});
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

/// A pass of one number a point. A thread has its points' numbers under way together.
template <class Work>
struct PointBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = Work::name;
  static constexpr int points = 4; ///< a thread, where it reads them first
  Work work;
  Boxes boxes;
  Index points_x = 0;
  Index part = 0; ///< of a row of points alone, whose parts a thread has one of each; 0: planes

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Access<Lane> io{lane};
    boxes.column(lane, [&](Index x, Index y, Index begin, Index end) {
      if constexpr (reads_first<Work>) {
        decltype(work.first(io, x, y, begin)) first[points];
        const auto each = [&](const auto& use) {
          RIDGE_UNROLL
          for (int k = 0; k < points; ++k) {
            const Index there = x + part * k;
            const Index z = part > 0 ? begin : begin + k;
            if (there < points_x && z < end) use(k, there, z);
          }
        };
        each([&](int k, Index there, Index z) { first[k] = work.first(io, there, y, z); });
        each([&](int k, Index there, Index z) { work(io, there, y, z, first[k]); });
      } else {
        for (Index z = begin; z < end; ++z)
          work(io, x, y, z);
      }
    });
  }
};
template <class Work>
void each_point(Queue& queue, const Work& work) {
  using Body = PointBody<Work>;
  const Index3 n = work.points();
  Index part = 0;
  Boxes boxes(n, reads_first<Work> ? Body::points : 1);
  if (reads_first<Work> && n.y * n.z == 1) {
    constexpr Index line = 32;
    part = ceil_div(ceil_div(n.x, Body::points), line) * line;
    boxes = Boxes({part, 1, 1}, 1);
  }
  launch_body(queue, boxes.shape(), Body{work, boxes, n.x, part});
}

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
