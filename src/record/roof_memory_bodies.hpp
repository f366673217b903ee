// What GPU threads do in the memory kernels of the roof. For kernel sources of GPUs only.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/launch.hpp>

namespace ridge::roof {

inline constexpr int block_threads = 256;

/// Elements of one access.
inline constexpr int wide = 2;
using Wide = Pack<double, wide>;

template <int Unroll>
inline constexpr Index tile_size = Index{block_threads * wide} * Unroll;

/// Visits tiles of `count` elements: `full(i, stride)` where this thread has `Unroll` wide accesses
/// at i, i + stride, ...; `single(i)` for each of its elements where the tile is cut off. Further
/// passes give a block other tiles than before, so that its own unit's cache does not have them.
template <int Unroll, class Lane, class Full, class Single>
RIDGE_DEVICE void walk(const Lane& lane, Index count, int passes, Full full, Single single) {
  constexpr Index tile = tile_size<Unroll>;
  constexpr Index stride = Index{block_threads} * wide;
  const Index tiles = (count + tile - 1) / tile;
  const Index hop = tiles > 1 ? 7919 % tiles : 0;
  Index shift = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (Index turn = lane.block().x; turn < tiles; turn += lane.grid_extent().x) {
      const Index t = turn + shift < tiles ? turn + shift : turn + shift - tiles;
      const Index first = t * tile + Index{lane.thread().x} * wide;
      if ((t + 1) * tile <= count) {
        full(first, stride);
      } else {
        for (Index i = first; i < count; i += stride) {
          for (Index j = i; j < i + wide && j < count; ++j)
            single(j);
        }
      }
    }
    shift = shift + hop < tiles ? shift + hop : shift + hop - tiles;
  }
}

/// to[i] = values.at(i)
template <int Unroll, bool nontemporal, class Values>
struct Store {
  static constexpr int max_threads = block_threads;
  static constexpr const char* name = Values::name;
  Span<double> to;
  Values values;
  int passes;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    walk<Unroll>(
        lane, to.size, passes,
        [&](Index i, Index stride) {
          Wide x[Unroll];
          RIDGE_UNROLL
          for (int u = 0; u < Unroll; ++u)
            x[u] = values.wide_at(lane, i + u * stride);
          RIDGE_UNROLL
          for (int u = 0; u < Unroll; ++u) {
            if constexpr (nontemporal) {
              lane.store_nontemporal(to, i + u * stride, x[u]);
            } else {
              lane.store(to, i + u * stride, x[u]);
            }
          }
        },
        [&](Index i) { lane.store(to, i, values.at(lane, i)); });
  }
};

struct Copied {
  static constexpr const char* name = "roof copy";
  Span<const double> from;
  template <class Lane>
  RIDGE_DEVICE Wide wide_at(const Lane& lane, Index i) const {
    return lane.template load_pack<wide>(from, i);
  }
  template <class Lane>
  RIDGE_DEVICE double at(const Lane& lane, Index i) const {
    return lane.load(from, i);
  }
};

struct Constant {
  static constexpr const char* name = "roof write";
  double value;
  template <class Lane>
  RIDGE_DEVICE Wide wide_at(const Lane& /*lane*/, Index /*i*/) const {
    return Wide(value);
  }
  template <class Lane>
  RIDGE_DEVICE double at(const Lane& /*lane*/, Index /*i*/) const {
    return value;
  }
};

struct Scaled {
  static constexpr const char* name = "roof triad";
  Span<const double> a, b;
  double factor;
  template <class Lane>
  RIDGE_DEVICE Wide wide_at(const Lane& lane, Index i) const {
    return lane.template load_pack<wide>(a, i) + Wide(factor) * lane.template load_pack<wide>(b, i);
  }
  template <class Lane>
  RIDGE_DEVICE double at(const Lane& lane, Index i) const {
    return lane.load(a, i) + factor * lane.load(b, i);
  }
};

/// Each warp leaves the sum of what its lanes have read.
template <int Unroll>
struct Read {
  static constexpr int max_threads = block_threads;
  static constexpr const char* name = "roof read";
  Span<double> sums;
  Span<const double> from;
  int passes;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    Wide sum[Unroll];
    RIDGE_UNROLL
    for (int u = 0; u < Unroll; ++u)
      sum[u] = Wide(0);
    double total = 0;
    walk<Unroll>(
        lane, from.size, passes,
        [&](Index i, Index stride) {
          Wide x[Unroll];
          RIDGE_UNROLL
          for (int u = 0; u < Unroll; ++u)
            x[u] = lane.template load_pack<wide>(from, i + u * stride);
          RIDGE_UNROLL
          for (int u = 0; u < Unroll; ++u)
            sum[u] += x[u];
        },
        [&](Index i) { total += lane.load(from, i); });
    RIDGE_UNROLL
    for (int u = 0; u < Unroll; ++u)
      total += sum[u][0] + sum[u][1];
    RIDGE_UNROLL
    for (int mask = lane.width() / 2; mask > 0; mask /= 2)
      total += lane.shuffle_xor(total, mask);
    if (lane.lane() == 0) {
      const int warps = block_threads / lane.width();
      const int warp = lane.rank() / lane.width();
      lane.store(sums, Index{lane.block().x} * warps + warp, total);
    }
  }
};

} // namespace ridge::roof
