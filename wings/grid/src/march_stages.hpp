// What a thread of a march computes in a plane; march_body.hpp tells how planes come and go.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/core/quick_math.hpp>

#include "march_plan.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

RIDGE_DEVICE double reciprocal(double x) {
  return ridge::detail::quick_reciprocal(x);
}
RIDGE_DEVICE float reciprocal(float x) {
  return 1 / x;
}

template <class T, class Shape, bool Up, bool Varied>
struct MarchStages {
  using Room = MarchRoom<T, Shape, Up, Varied>;
  static constexpr int rows = Shape::rows;
  static constexpr int pitch = Shape::wide + 2;
  static constexpr int plane = Room::plane;

  /// Values of a thread's rows.
  struct Column {
    T at[rows] = {};
  };

  /// What a thread knows of its place. `Even`: rows of the tile weigh alike and follow each other.
  template <bool Even>
  struct Mine {
    static constexpr int kept = Even ? 1 : rows;
    int t, x, first_row; ///< x and rows within the tile's region
    int at;              ///< of its first row in planes of shared memory
    int own_at;          ///< in planes that only their owner reads
    int offset[kept];    ///< within planes of fields; -1: beyond a wall
    int pitch_of_rows;
    int ring_offset, ring_at; ///< a point beside the region
    int k_offset[Varied ? rows : 1], k_ring_offset;
    int stores;                  ///< a bit a row
    T x_before, x_behind, x_own; ///< weights; Varied: walls included
    T y_before, y_behind, y_own; ///< where Even
    T inverse[kept];             ///< of the diagonal in usual planes
    T left, right;               ///< weights of coarse points along x
    int coarse_x;

    [[nodiscard]] RIDGE_DEVICE int row_offset(int r) const {
      return Even ? offset[0] + r * pitch_of_rows : offset[r];
    }
    [[nodiscard]] RIDGE_DEVICE bool is_inside(int r) const { return offset[Even ? 0 : r] >= 0; }
  };

  /// b - A u in a plane: its own values and those of the planes before and behind are in
  /// registers, those of neighbours at `from` in shared memory. `use(row, residual)`.
  template <bool Even, class Memory, class Use>
  RIDGE_DEVICE static void residuals(const Memory& m, const Mine<Even>& my, int z_at, int from,
                                     const Column& before, const Column& own, const Column& behind,
                                     const Column& b, const Use& use) {
    const T z_before = m[z_at];
    const T z_behind = m[z_at + 1];
    const T z_own = m[z_at + 2];
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      T y_before;
      T y_behind;
      T y_own;
      if constexpr (Even) {
        y_before = my.y_before;
        y_behind = my.y_behind;
        y_own = my.y_own;
      } else {
        const int y_at = Room::y_table + 4 * (my.first_row + r);
        y_before = m[y_at];
        y_behind = m[y_at + 1];
        y_own = m[y_at + 2];
      }
      const int at = from + my.at + r * pitch;
      const T left = m[at - 1];
      const T right = m[at + 1];
      T below;
      T above;
      if (r == 0) {
        below = m[at - pitch];
      } else {
        below = own.at[r - 1];
      }
      if (r == rows - 1) {
        above = m[at + pitch];
      } else {
        above = own.at[r + 1];
      }
      const T diagonal = (my.x_own + y_own) + z_own;
      T sum = fma(-diagonal, own.at[r], b.at[r]); // fused by name, as in march_cells.hpp
      sum = fma(my.x_before, left, sum);
      sum = fma(my.x_behind, right, sum);
      sum = fma(y_before, below, sum);
      sum = fma(y_behind, above, sum);
      sum = fma(z_before, before.at[r], sum);
      sum = fma(z_behind, behind.at[r], sum);
      use(r, sum);
    }
  }
  /// The same with a coefficient, in plane q. `use(row, residual, inverse of the diagonal)`.
  template <bool Even, class Memory, class Use>
  RIDGE_DEVICE static void varied(T shift, const Memory& m, const Mine<Even>& my, int z_at, int q,
                                  int from, const Column& before, const Column& own,
                                  const Column& behind, const Column& b, const Use& use) {
    const T z_low = m[z_at];
    const T z_high = m[z_at + 1];
    const T takes_before = m[z_at + 2];
    const T takes_behind = m[z_at + Room::z_numbers - 1];
    const auto mean = [](T k, T other) { return 2 * k * (other * reciprocal(k + other)); };
    const int k_at = Room::k + (q & 7) * plane + my.at;
    const int k_before = Room::k + ((q - 1) & 7) * plane + my.at;
    const int k_behind = Room::k + ((q + 1) & 7) * plane + my.at;
    T k = m[k_at];
    const T k_below = m[k_at - pitch];
    T mean_y = mean(k, k_below);
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int y_at = Room::y_table + 4 * (my.first_row + r);
      const T y_low = m[y_at];
      const T y_high = m[y_at + 1];
      const int k_here = k_at + r * pitch;
      const T k_left = m[k_here - 1];
      const T k_right = m[k_here + 1];
      const T k_above = m[k_here + pitch];
      const T k_z0 = m[k_before + r * pitch];
      const T k_z1 = m[k_behind + r * pitch];
      const T x0 = my.x_before * mean(k, k_left);
      const T x1 = my.x_behind * mean(k, k_right);
      const T y0 = y_low * mean_y;
      mean_y = mean(k, k_above);
      const T y1 = y_high * mean_y;
      const T z0 = z_low * mean(k, k_z0);
      const T z1 = z_high * mean(k, k_z1);
      const T d = (x0 + x1) + (y0 + y1) + (z0 + z1) + shift;
      const int at = from + my.at + r * pitch;
      const T left = m[at - 1];
      const T right = m[at + 1];
      T below;
      T above;
      if (r == 0) {
        below = m[at - pitch];
      } else {
        below = own.at[r - 1];
      }
      if (r == rows - 1) {
        above = m[at + pitch];
      } else {
        above = own.at[r + 1];
      }
      T sum = fma(-d, own.at[r], b.at[r]);
      sum = fma(x0, left, sum); // beyond walls u is 0
      sum = fma(x1, right, sum);
      sum = fma(y0, below, sum);
      sum = fma(y1, above, sum);
      sum = fma(takes_before * z0, before.at[r], sum);
      sum = fma(takes_behind * z1, behind.at[r], sum);
      use(r, sum, my.is_inside(r) ? reciprocal(d) : T(0));
      k = k_above;
    }
  }
  template <class Memory>
  RIDGE_DEVICE static Column column(const Memory& m, int at) {
    Column c;
    RIDGE_UNROLL
    for (int r = 0; r < rows; ++r)
      c.at[r] = m[at + r * pitch];
    return c;
  }
  /// Of the diagonal in a plane. Nearly all planes are alike along z.
  template <bool Even>
  struct Inverses {
    T of[Even ? 1 : rows] = {};
    [[nodiscard]] RIDGE_DEVICE T operator()(int r) const { return of[Even ? 0 : r]; }
  };
  template <bool Even, class Memory>
  RIDGE_DEVICE static Inverses<Even> inverses(const Memory& m, const Mine<Even>& my, T z_own,
                                              T usual) {
    Inverses<Even> inverse;
    RIDGE_UNROLL
    for (int r = 0; r < Mine<Even>::kept; ++r)
      inverse.of[r] = my.inverse[r];
    if (z_own == usual) return inverse;
    RIDGE_UNROLL
    for (int r = 0; r < Mine<Even>::kept; ++r) {
      const T y_own = m[Room::y_table + 4 * (my.first_row + r) + 2];
      if (my.is_inside(r)) inverse.of[r] = T(1) / ((my.x_own + y_own) + z_own);
    }
    return inverse;
  }

  /// Either, in plane q.
  template <bool Even, class Memory, class Use>
  RIDGE_DEVICE static void stage(T shift, const Memory& m, const Mine<Even>& my, int z_at, int q,
                                 int from, const Column& before, const Column& own,
                                 const Column& behind, const Column& b,
                                 const Inverses<Even>& inverse, const Use& use) {
    if constexpr (Varied) {
      varied<Even>(shift, m, my, z_at, q, from, before, own, behind, b, use);
    } else {
      residuals<Even>(m, my, z_at, from, before, own, behind, b,
                      [&](int r, T residual) { use(r, residual, inverse(r)); });
    }
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
