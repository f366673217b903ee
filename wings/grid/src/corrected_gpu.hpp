// The residual in fp64 of a solution that cycles in fp32 correct, on GPUs, real and emulated.
#pragma once

#include "boxes_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// A thread has a column of points, whose planes it reads two at a time.
template <bool HasU, bool HasE>
struct CorrectedBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "multigrid residual of both precisions";
  Corrected c;
  int tiles_x = 1, tiles_y = 1, planes = 1;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int part = lane.block().x;
    const int tile = part / tiles_x;
    const int x = part % tiles_x * Corrected::wide + lane.thread().x;
    const int y = tile % tiles_y * Corrected::high + lane.thread().y;
    const int begin = tile / tiles_y * planes;
    const int points = c.a.axes[2].points;
    double squares = 0;
    if (x < c.a.axes[0].points && y < c.a.axes[1].points)
      squares = column(lane, x, y, begin, begin + planes < points ? begin + planes : points);
    const auto shared = lane.template shared<double>(0, block);
    const int t = lane.rank();
    shared[t] = squares;
    for (int half = block / 2; half > 0; half /= 2) {
      lane.barrier();
      if (t < half) {
        const double a = shared[t];
        const double b = shared[t + half];
        shared[t] = a + b;
      }
    }
    if (t == 0) {
      const double sum = shared[0];
      lane.store(c.squares, part, sum);
    }
  }

private:
  template <class Lane>
  RIDGE_DEVICE double column(const Lane& lane, int x, int y, int begin, int end) const {
    const Access<Lane> read{lane};
    const AxisTables<double>& along_z = c.a.axes[2];
    const AlongX<double> in_x(c.a.axes[0], x, read);
    const AlongX<double> in_y(c.a.axes[1], y, read);
    const Index row = c.a.axes[0].points;
    const Index plane = row * c.a.axes[1].points;
    const Index here = x + row * y;
    const Index beside[4] = {here + (in_x.before - x), here + (in_x.behind - x),
                             here + row * (in_y.before - y), here + row * (in_y.behind - y)};
    const double weights[4] = {in_x.takes_before * in_x.low, in_x.takes_behind * in_x.high,
                               in_y.takes_before * in_y.low, in_y.takes_behind * in_y.high};
    const double diagonal = (in_x.low + in_x.high) + (in_y.low + in_y.high) + c.a.shift;
    const auto value = [&](Index at) {
      double sum = 0;
      if constexpr (HasE) sum = c.scale * static_cast<double>(read(c.e, at));
      if constexpr (HasU) sum += read(c.u, at);
      return sum;
    };
    double below = value(here + plane * neighbour(along_z, begin, -1));
    double own = value(here + plane * begin);
    double squares = 0;
    constexpr int together = 2;
    RIDGE_NO_UNROLL
    for (int z = begin; z < end; z += together) {
      double above[together];
      double sides[together][4];
      double b[together];
      RIDGE_UNROLL
      for (int k = 0; k < together; ++k) {
        const int at = z + k < end ? z + k : end - 1;
        above[k] = value(here + plane * neighbour(along_z, at, 1));
        RIDGE_UNROLL
        for (int i = 0; i < 4; ++i)
          sides[k][i] = value(beside[i] + plane * at);
        b[k] = c.of_right * read(c.b, here + plane * at);
      }
      RIDGE_UNROLL
      for (int k = 0; k < together; ++k) {
        const int at = z + k;
        if (at >= end) continue;
        const double low = read(along_z.low, at);
        const double high = read(along_z.high, at);
        const double from_below = neighbour(along_z, at, -1) == at ? 0 : low * below;
        const double from_above = neighbour(along_z, at, 1) == at ? 0 : high * above[k];
        const double sum = (weights[0] * sides[k][0] + weights[1] * sides[k][1]) +
                           (weights[2] * sides[k][2] + weights[3] * sides[k][3]) +
                           (from_below + from_above);
        const double left = b[k] + (sum - (diagonal + (low + high)) * own);
        if constexpr (HasE) lane.store(c.out, here + plane * at, own);
        if (c.left.size != 0)
          lane.store(c.left, here + plane * at, static_cast<float>(c.number * left));
        if (at >= c.counts_from && at < c.counts_to) squares += left * left;
        below = own;
        own = above[k];
      }
    }
    return squares;
  }
};

template <bool HasU, bool HasE>
void correct(Queue& queue, const Corrected& c) {
  const auto& axes = c.a.axes;
  const int planes = Corrected::planes(axes[2].points);
  launch_body(
      queue,
      {{static_cast<int>(c.squares.size), 1, 1}, {Corrected::wide, Corrected::high, 1}, block * 8},
      CorrectedBody<HasU, HasE>{c, static_cast<int>(ceil_div(axes[0].points, Corrected::wide)),
                                static_cast<int>(ceil_div(axes[1].points, Corrected::high)),
                                planes});
}
inline void corrected(Queue& queue, const Corrected& c) {
  if (c.e.size == 0) return correct<true, false>(queue, c);
  c.u.size == 0 ? correct<false, true>(queue, c) : correct<true, true>(queue, c);
}

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
