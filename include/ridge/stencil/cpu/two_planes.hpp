// Two planes at once on the cpu, straight from the fields.
//
// For cores that wait for lines between L2 and L1, and for kernels of many points: both planes
// share what they read of each other's column, so that 2 (r.z + 1) lines a vector come from the L2
// instead of 2 (2 r.z + 1). Neighbours in x are joined from aligned vectors, since a load that
// crosses a line costs two (docs/design/stencils_on_cpus.md).
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu/prefetch.hpp>
#include <ridge/stencil/cpu/windows_access.hpp>
#include <ridge/stencil/cpu_schedule.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ridge::stencil::cpu {

/// Whether the lines around every line of the result that row y of plane z reaches into lie within
/// the inputs.
template <class K, class T>
bool whole_lines(const Call<K, T>& call, Index y, Index z) {
  constexpr Offset r = radius_of<K>();
  constexpr Index reach = 2 * line_bytes / static_cast<Index>(sizeof(T));
  return std::all_of(call.in.begin(), call.in.end(), [&](const View<const T>& in) {
    const Index3 last{in.extents.x - 1, in.extents.y - 1, in.extents.z - 1};
    return in.at(0, y - r.y, z - r.z) >= reach &&
           in.at(last.x, y + r.y, z + r.z) + reach <= in.at(last.x, last.y, last.z);
  });
}

/// Whether the planes of a block can be computed in pairs: where both planes of the result have
/// their lines at the same places.
template <class K, class T>
bool pairs_fit(const Call<K, T>& call) {
  constexpr Index line = line_bytes / static_cast<Index>(sizeof(T));
  return call.out.plane % line == 0 && call.out.extents.x >= line + 2 * radius_of<K>().x;
}

/// Neighbours of a vector of points.
template <int Reach, class V>
struct JoinedNeighbours {
  const Element<V>* at;
  Index row, plane;
  RIDGE_FN V operator()(int dx, int dy = 0, int dz = 0) const {
    return load_beside<Reach, V>(at + (dy * row + dz * plane), dx);
  }
};

/// Row y of two planes from z on, of a block.
template <bool Stream, class K, class T>
class PairOfRows {
public:
  using Inputs = std::array<const T*, inputs_of<K>>;
  using Strides = std::array<Index, inputs_of<K>>;

  PairOfRows(const Call<K, T>& call, const Block& block, Index y, Index z, const Lead& lead)
      : out_(call.out.data + call.out.at(0, y, z)),
        later_(later_row(call.out, block, y, z, 1, planes)), out_plane_(call.out.plane),
        end_(call.out.extents.x - r.x), ahead_(call, block, y, z, lead) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const View<const T>& in = call.in[i];
      rows_[i] = in.data + in.at(0, y, z);
      row_[i] = in.row;
      plane_[i] = in.plane;
    }
  }

  void run(const K kernel) const {
    if (ahead_ && Stream) {
      for (int k = 0; k < planes; ++k) {
        __builtin_prefetch(later_ + k * out_plane_ + r.x, 1, 3);
        __builtin_prefetch(later_ + k * out_plane_ + end_ - 1, 1, 3);
      }
    }
    const Index begin = r.x;
    const Index first = begin - misfit_of(out_ + begin) % width; // of a vector that has `begin`
    for (Index x = first; x < end_; x += width) {
      if (ahead_) ahead_.ask(x);
      const std::array<V, planes> result = compute(kernel, x, std::make_index_sequence<planes>{});
      T* const to = out_ + x;
      if (x >= begin && x + width <= end_) {
        RIDGE_UNROLL
        for (int k = 0; k < planes; ++k) {
          if constexpr (Stream) {
            result[k].stream(to + k * out_plane_);
          } else {
            result[k].store(to + k * out_plane_);
          }
        }
      } else {
        const auto from = static_cast<int>(std::max<Index>(begin - x, 0));
        const auto to_lane = static_cast<int>(std::min<Index>(end_ - x, width));
        RIDGE_UNROLL
        for (int k = 0; k < planes; ++k)
          result[k].store_part(to + k * out_plane_, from, to_lane);
      }
    }
  }

private:
  static constexpr int planes = CpuSchedule::pair;
  using V = NativePack<T>;
  static constexpr Offset r = radius_of<K>();
  static constexpr int width = lanes_of<V>;

  template <std::size_t... Plane>
  RIDGE_FN std::array<V, planes> compute(const K& kernel, Index x,
                                         std::index_sequence<Plane...> /*all*/) const {
    return {compute_plane(kernel, x, Plane, std::make_index_sequence<inputs_of<K>>{})...};
  }

  template <std::size_t... I>
  RIDGE_FN V compute_plane(const K& kernel, Index x, Index plane,
                           std::index_sequence<I...> /*all*/) const {
    return V(
        kernel(JoinedNeighbours<r.x, V>{rows_[I] + x + plane * plane_[I], row_[I], plane_[I]}...));
  }

  Inputs rows_;
  Strides row_, plane_;
  T* out_;
  T* later_;
  Index out_plane_, end_;
  Ahead<planes, K, T> ahead_;
};

} // namespace ridge::stencil::cpu
