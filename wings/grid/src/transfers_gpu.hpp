// Restriction and interpolation on GPUs, real and emulated.
#pragma once

#include "boxes_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

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
        lane.store(r.coarse, x + ax.coarse * (y + Index{ay.coarse} * z), r.scale * sum);
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
        lane.store(r.coarse, x + r.axes[0].coarse * (y + Index{r.axes[1].coarse} * z),
                   r.scale * sum);
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
      const auto along = [&](int at_y, int at_z) {
        const Index row = ax.coarse * (at_y + Index{ay.coarse} * at_z);
        return in_x.left_weight * read(p.coarse, row + in_x.left) +
               in_x.right_weight * read(p.coarse, row + in_x.right);
      };
      const auto in_plane = [&](int at_z) {
        return in_y.left_weight * along(in_y.left, at_z) +
               in_y.right_weight * along(in_y.right, at_z);
      };
      int left = -1; // coarse planes that are known here
      int right = -1;
      T in_left = 0;
      T in_right = 0;
      for (Index z = begin; z < end; ++z) {
        const Between<T> in_z(p.axes[2], static_cast<int>(z), read);
        if (in_z.left != left) {
          in_left = in_z.left == right ? in_right : in_plane(in_z.left);
          left = in_z.left;
        }
        if (in_z.right != right) {
          in_right = in_plane(in_z.right);
          right = in_z.right;
        }
        T value = in_z.left_weight * in_left + in_z.right_weight * in_right;
        const Index at = x + ax.fine * (y + Index{ay.fine} * z);
        if (p.adds) value += lane.load_written(p.fine, at);
        lane.store(p.fine, at, value);
      }
    });
  }
};
template <class T>
void interpolated(Queue& queue, const Interpolation<T>& p) {
  const Boxes boxes({p.axes[0].fine, p.axes[1].fine, p.axes[2].fine}, 16);
  launch_body(queue, boxes.shape(), InterpolationBody<T>{p, boxes});
}

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
