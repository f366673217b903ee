// The passes of multigrid on the cpu: rows in packs, threads having neighbouring rows.
#pragma once

#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/queue.hpp>

#include "point_passes.hpp"

#include <algorithm>
#include <vector>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

struct Plain {
  template <class T>
  RIDGE_FN std::remove_const_t<T> operator()(const Span<T>& from, Index i) const {
    return from.data[i];
  }
  template <class T>
  RIDGE_FN std::remove_const_t<T> read(const Span<T>& from, Index i) const {
    return from.data[i];
  }
  template <class T>
  RIDGE_FN T read_written(const Span<T>& from, Index i) const {
    return from.data[i];
  }
  template <class T>
  RIDGE_FN void store(const Span<T>& to, Index i, std::type_identity_t<T> value) const {
    to.data[i] = value;
  }
};

/// Waking threads takes longer than so many points.
constexpr Index few = 4096;

/// Calls `work(first, last)` for all of `count` things of `points` points each, in pieces.
template <class Work>
void share(Index count, Index points, const Work& work) {
  cpu::run(count * points < few ? 1 : cpu::default_threads(), [&](int thread, int threads) {
    const Index piece = std::max<Index>(1, 65536 / std::max<Index>(1, points));
    cpu::in_pieces(cpu::share_of(count, thread, threads), piece,
                   [&](const cpu::Range& now) { work(now.begin, now.end); });
  });
}

/// Calls `work(y, z)` for all rows.
template <class Work>
void for_rows(Index nx, Index ny, Index nz, const Work& work) {
  share(ny * nz, nx, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      work(static_cast<int>(row % ny), static_cast<int>(row / ny));
  });
}

/// Calls `use(x, point)` along a row, in packs but for its ends. `u` is not empty; `value(u, i)` is
/// what stands there. What a row needs comes by value: what is stored could change what lies behind
/// references.
template <class T, class Use, class Value = Plain>
RIDGE_FN void along_row(const Operator<T> a, const Row<T> row, const Span<const T> u,
                        const Span<const T> b, const Use use, const Value value = {}) {
  const Plain read;
  const AxisTables<T>& axis = a.axes[0];
  const int n = axis.points;
  const auto at = [&](int x, const AlongX<T>& w, auto varies) {
    const T own = value(u, row.here + x);
    const T below = value(u, row.before_z + x);
    const T above = value(u, row.behind_z + x);
    if constexpr (varies) {
      use(x, row.varied(a, u, b, x, w, own, below, above, value));
    } else {
      use(x, row.plain(a, u, b, x, w, own, below, above, value));
    }
  };
  const auto run = [&](auto varies) {
    at(0, AlongX<T>(axis, 0, read), varies);
    const T* const low = axis.low.data;
    const T* const high = axis.high.data;
#pragma GCC ivdep
    for (int x = 1; x < n - 1; ++x)
      at(x, AlongX<T>(x, low[x], high[x]), varies);
    if (n > 1) at(n - 1, AlongX<T>(axis, n - 1, read), varies);
  };
  a.k.size == 0 ? run(std::false_type()) : run(std::true_type());
}

template <class T, class Store>
void each_residual(const Operator<T>& a, const Span<const T>& u, const Span<const T>& b,
                   const Store& store) {
  for_rows(a.axes[0].points, a.axes[1].points, a.axes[2].points, [&](int y, int z) {
    const Row<T> row(a, y, z, Plain{});
    along_row(a, row, u, b,
              [here = row.here, store](int x, const PointOf<T>& p) { store(here + x, p); });
  });
}

template <class T>
void sweep(Queue& /*queue*/, const Sweep<T>& s) {
  T* const out = s.out.data;
  const T weight = s.weight;
  if (s.u.size != 0) {
    each_residual(s.a, s.u, s.b, [=](Index i, const PointOf<T>& p) {
      out[i] = p.u + weight * p.residual / p.diagonal;
    });
    return;
  }
  const auto& axes = s.a.axes;
  const Plain read;
  for_rows(axes[0].points, axes[1].points, axes[2].points, [&](int y, int z) {
    const Row<T> row(s.a, y, z, read);
    for (int x = 0; x < axes[0].points; ++x) {
      const AlongX<T> w(x, axes[0].low.data[x], axes[0].high.data[x]);
      out[row.here + x] = weight * s.b.data[row.here + x] / row.diagonal(s.a, x, w, read);
    }
  });
}

template <class T>
void residual(Queue& /*queue*/, const Residual<T>& r) {
  T* const out = r.out.data;
  each_residual(r.a, r.u, r.b, [=](Index i, const PointOf<T>& p) { out[i] = p.residual; });
}

template <class T>
void applied(Queue& /*queue*/, const Applied<T>& a) {
  T* const out = a.out.data;
  each_residual(a.a, a.u, Span<const T>(),
                [=](Index i, const PointOf<T>& p) { out[i] = -p.residual; });
}

/// Sums over parts of the rows, of squares of a number a point, and of its products with the
/// volume. `each_row(y, z, to)` stores the row's numbers: they are added up apart, since passes say
/// of their loops over x that no turn depends on another. A part is added up by one thread, row
/// after row: bits do not depend on how many threads there are.
template <class T, class EachRow>
void sums_of(const std::array<AxisTables<T>, 3>& axes, const Span<double>& sums,
             const EachRow& each_row) {
  constexpr int wide = 8;
  const Index ny = axes[1].points;
  const Index rows = ny * axes[2].points;
  const Index parts = sums.size / 2;
  const int nx = axes[0].points;
  share(parts, nx * (rows / parts + 1), [&](Index begin, Index end) {
    std::vector<double> numbers(static_cast<std::size_t>(nx));
    const double* const of_row = numbers.data();
    const T* const along_x = axes[0].volume.data;
    for (Index part = begin; part < end; ++part) {
      double first = 0;
      double second = 0;
      const Rows mine(rows, parts, part);
      for (Index i = mine.begin; i < mine.end; ++i) {
        double in_first[wide] = {};
        double in_second[wide] = {};
        const int y = static_cast<int>(i % ny);
        const int z = static_cast<int>(i / ny);
        each_row(y, z, numbers.data());
        const auto add = [&](int x, int k) {
          in_first[k] += of_row[x] * of_row[x];
          in_second[k] += static_cast<double>(along_x[x]) * of_row[x];
        };
        int x = 0;
        for (; x + wide <= nx; x += wide)
          for (int k = 0; k < wide; ++k)
            add(x + k, k);
        for (int k = 0; x < nx; ++x, ++k)
          add(x, k);
        const double volume = static_cast<double>(axes[1].volume.data[y]) *
                              static_cast<double>(axes[2].volume.data[z]);
        for (int k = 0; k < wide; ++k) {
          first += in_first[k];
          second += volume * in_second[k];
        }
      }
      sums.data[2 * part] = first;
      sums.data[2 * part + 1] = second;
    }
  });
}

template <class T>
void norms(Queue& /*queue*/, const Norms<T>& n) {
  sums_of(n.a.axes, n.sums, [&](int y, int z, double* numbers) {
    const Row<T> row(n.a, y, z, Plain{});
    if (n.u.size == 0) {
      for (int x = 0; x < n.a.axes[0].points; ++x)
        numbers[x] = static_cast<double>(n.b.data[row.here + x]);
    } else {
      along_row(n.a, row, n.u, n.b, [numbers](int x, const PointOf<T>& p) {
        numbers[x] = static_cast<double>(p.residual);
      });
    }
  });
}

/// The sums are those of `norms`, in the same parts.
template <class T>
void counted_sweep(Queue& /*queue*/, const CountedSweep<T>& c) {
  const Sweep<T>& s = c.sweep;
  T* const out = s.out.data;
  const T weight = s.weight;
  sums_of(s.a.axes, c.sums, [&](int y, int z, double* numbers) {
    const Row<T> row(s.a, y, z, Plain{});
    along_row(s.a, row, s.u, s.b, [=, to = out + row.here](int x, const PointOf<T>& p) {
      to[x] = p.u + weight * p.residual / p.diagonal;
      numbers[x] = static_cast<double>(p.residual);
    });
  });
}

/// What stands at a point of Corrected::out; other arrays are not asked for.
template <bool HasU, bool HasE>
struct CorrectedValue {
  const double* u;
  const float* e;
  double scale;
  RIDGE_FN double operator()(const Span<const double>& /*from*/, Index i) const {
    if constexpr (!HasE) {
      return u[i];
    } else {
      const double correction = scale * static_cast<double>(e[i]);
      return HasU ? u[i] + correction : correction;
    }
  }
};
template <bool HasU, bool HasE>
void correct(const Corrected& c) {
  std::vector<double> sums(static_cast<std::size_t>(2 * c.squares.size));
  const CorrectedValue<HasU, HasE> value{c.u.data, c.e.data, c.scale};
  sums_of(c.a.axes, {sums.data(), 2 * c.squares.size}, [&](int y, int z, double* numbers) {
    const Row<double> row(c.a, y, z, Plain{});
    const double counted = z >= c.counts_from && z < c.counts_to ? 1 : 0;
    const auto use = [out = HasE ? c.out.data + row.here : nullptr,
                      left = c.left.size == 0 ? nullptr : c.left.data + row.here,
                      b = c.b.data + row.here, number = c.number, of_right = c.of_right, numbers,
                      counted](int x, const PointOf<double>& p) {
      const double r = of_right * b[x] + p.residual;
      if constexpr (HasE) out[x] = p.u;
      if (left != nullptr) left[x] = static_cast<float>(number * r);
      numbers[x] = counted * r;
    };
    along_row(c.a, row, c.b, Span<const double>(), use, value);
  });
  for (Index part = 0; part < c.squares.size; ++part)
    c.squares.data[part] = sums[static_cast<std::size_t>(2 * part)];
}
inline void corrected(Queue& /*queue*/, const Corrected& c) {
  if (c.e.size == 0) return correct<true, false>(c);
  c.u.size == 0 ? correct<false, true>(c) : correct<true, true>(c);
}

/// Calls `use(x, residual)` along a row, whose u is not empty.
template <class T, class Use>
void along_coloured_row(const ColouredSweep<T>& c, int y, int z, const Use& use) {
  const Sweep<T>& s = c.sweep;
  const Row<T> row(s.a, y, z, Plain{});
  const int even = (y + c.of_plane(z) + 1) & 1;
  T* const to = s.out.data + row.here;
  const T weight = s.weight;
  along_row(s.a, row, s.u, s.b, [=](int x, const PointOf<T>& p) {
    const T taken = static_cast<T>((x + even) & 1); // a branch would keep packs away
    to[x] = p.u + taken * weight * p.residual / p.diagonal;
    use(x, p.residual);
  });
}

template <class T>
void coloured_sweep(Queue& /*queue*/, const ColouredSweep<T>& c) {
  const Sweep<T>& s = c.sweep;
  const auto& axes = s.a.axes;
  if (c.sums.size != 0) {
    sums_of(axes, c.sums, [&](int y, int z, double* numbers) {
      along_coloured_row(
          c, y, z, [numbers](int x, T residual) { numbers[x] = static_cast<double>(residual); });
    });
    return;
  }
  for_rows(axes[0].points, axes[1].points, axes[2].points, [&](int y, int z) {
    if (s.u.size != 0) {
      along_coloured_row(c, y, z, [](int, T) {});
      return;
    }
    const Plain read;
    const Row<T> row(s.a, y, z, read);
    const int even = (y + c.of_plane(z) + 1) & 1;
    T* const to = s.out.data + row.here;
    for (int x = 0; x < axes[0].points; ++x) {
      const AlongX<T> w(x, axes[0].low.data[x], axes[0].high.data[x]);
      const T taken = static_cast<T>((x + even) & 1);
      to[x] = taken * s.weight * s.b.data[row.here + x] / row.diagonal(s.a, x, w, read);
    }
  });
}

template <class T>
void product(Queue& /*queue*/, const Product<T>& p) {
  const Index nx = p.axes[0].points;
  sums_of(p.axes, p.sums, [&](int y, int z, double* numbers) {
    const Index row = nx * (y + Index{p.axes[1].points} * z);
    for (int x = 0; x < nx; ++x)
      numbers[x] = static_cast<double>(p.x.data[row + x]) * static_cast<double>(p.y.data[row + x]);
  });
}

template <class T>
void restricted(Queue& /*queue*/, const Restriction<T>& r) {
  const auto& ax = r.axes[0];
  const auto& ay = r.axes[1];
  const auto& az = r.axes[2];
  const Plain read;
  share(Index{ay.coarse} * az.coarse, ax.coarse, [&](Index begin, Index end) {
    std::vector<T> sum(static_cast<std::size_t>(ax.fine)); // of fine rows, before x is restricted
    for (Index row = begin; row < end; ++row) {
      std::fill(sum.begin(), sum.end(), T(0));
      T* const to = sum.data();
      each_taken(az, static_cast<int>(row / ay.coarse), read, [&](int fine_z, T z_weight) {
        each_taken(ay, static_cast<int>(row % ay.coarse), read, [&](int fine_y, T y_weight) {
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
        coarse[x] = r.scale * taken;
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
  share(Index{ay.fine} * az.fine, ax.fine, [&](Index begin, Index end) {
    std::vector<T> sum(static_cast<std::size_t>(ax.coarse));
    for (Index row = begin; row < end; ++row) {
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
  const Index n = e.u.size;
  T* const u = e.u.data;
  std::fill(u, u + n, T(0));
  for (Index i = 0; i < n; ++i) {
    const T b = e.b.data[i];
    const T* const column = e.matrix.data + i * n;
#pragma GCC ivdep
    for (Index row = 0; row < n; ++row)
      u[row] += column[row] * b;
  }
}

/// A pass of one number a point.
template <class Work>
void each_point(Queue& /*queue*/, const Work& work) {
  const Index3 n = work.points();
  const auto point = [&](Index x, Index y, Index z) {
    if constexpr (reads_first<Work>) {
      work(Plain{}, x, y, z, work.first(Plain{}, x, y, z));
    } else {
      work(Plain{}, x, y, z);
    }
  };
  if (n.y * n.z == 1) {
    share(n.x, 1, [&](Index begin, Index end) {
      for (Index x = begin; x < end; ++x)
        point(x, 0, 0);
    });
    return;
  }
  for_rows(n.x, n.y, n.z, [&](int y, int z) {
    for (Index x = 0; x < n.x; ++x)
      point(x, y, z);
  });
}

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
