// Launches over elements: a lane has a row of one along x, lanes beside it the other rows. Values
// pass between operations in registers; along y lanes exchange them.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/elements.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/gpu/memory.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/device/lane.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

template <class Lane, class C, class T, int First, int Last>
struct ElementMemory {
  static constexpr bool holds_elements = true;
  static constexpr bool whole_rows = true; ///< of values along x in a lane
  static constexpr int points_x = dimension_of<C>(0).points;
  static constexpr int points_y = dimension_of<C>(1).points;
  /// Packs have a power of two of lanes: those behind the last point hold zeros. (NVRTC has no
  /// <bit>.)
  static constexpr int width = points_x > 8   ? 16
                               : points_x > 4 ? 8
                               : points_x > 2 ? 4
                               : points_x > 1 ? 2
                                              : 1;
  static_assert(points_x <= 16);
  using Value = Pack<T, width>;

  Lane& lane;
  const NarrowWindows<C, T, First, Last, false>& windows;
  const Index3& n;
  bool aligned;   ///< rows begin at whole accesses
  bool own;       ///< whether the lane writes
  int first_lane; ///< of the element
  Index number;   ///< of its instance

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }
  [[nodiscard]] RIDGE_DEVICE InstanceOf<C> instance() const { return windows.at(number); }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
    check_reach<C, K, I>(lane, o);
    const Spot<T> spot = spot_in<C, I, Profile, false>(windows.template of<I>(), n, x, y, z, o);
    if constexpr (Profile) {
      return V(one<I>(spot, 0));
    } else {
      constexpr int each = access_bytes / static_cast<int>(sizeof(T));
      V value(T{0});
      if constexpr (points_x % each == 0 && !written_in<C>(First, Last, I)) {
        if (aligned) {
          RIDGE_UNROLL
          for (int i = 0; i < points_x; i += each) {
            const auto part =
                lane.template load_pack<each>(Span<const T>(spot.elements), spot.at + i);
            RIDGE_UNROLL
            for (int k = 0; k < each; ++k)
              value.set(i + k, part[k]);
          }
          return value;
        }
      }
      RIDGE_UNROLL
      for (int i = 0; i < points_x; ++i)
        value.set(i, one<I>(spot, i));
      return value;
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    if (!own) return;
    const Spot<T> spot = spot_in<C, I, false, false>(windows.template of<I>(), n, x, y, z, {});
    constexpr int each = access_bytes / static_cast<int>(sizeof(T));
    if constexpr (points_x % each == 0) {
      if (aligned) {
        RIDGE_UNROLL
        for (int i = 0; i < points_x; i += each) {
          Pack<T, each> part;
          RIDGE_UNROLL
          for (int k = 0; k < each; ++k)
            part.set(k, value[i + k]);
          lane.store(spot.elements, spot.at + i, part);
        }
        return;
      }
    }
    RIDGE_UNROLL
    for (int i = 0; i < points_x; ++i)
      lane.store(spot.elements, spot.at + i, value[i]);
  }

  template <class V, int K, int I>
  [[nodiscard]] RIDGE_DEVICE V contract_x(const Matrix<points_x>& m, const V& line) const {
    V sum(T{0});
    RIDGE_UNROLL
    for (int i = 0; i < points_x; ++i) {
      T at = m.template at<T>(i, 0) * line[0];
      RIDGE_UNROLL
      for (int j = 1; j < points_x; ++j)
        at += m.template at<T>(i, j) * line[j];
      sum.set(i, at);
    }
    return sum;
  }
  template <class V, int K, int I>
  [[nodiscard]] RIDGE_DEVICE V contract_y(const Matrix<points_y>& m, Index y, const V& line) const {
    V sum(T{0});
    RIDGE_UNROLL
    for (int j = 0; j < points_y; ++j) {
      const T factor = m.template at<T>(static_cast<int>(y), j);
      RIDGE_UNROLL
      for (int i = 0; i < points_x; ++i)
        sum.set(i, sum[i] + factor * lane.shuffle(static_cast<T>(line[i]), first_lane + j));
    }
    return sum;
  }

private:
  template <int I>
  [[nodiscard]] RIDGE_DEVICE T one(const Spot<T>& spot, int i) const {
    if constexpr (written_in<C>(First, Last, I)) {
      return lane.load_written(spot.elements, spot.at + i);
    } else {
      return lane.load(Span<const T>(spot.elements), spot.at + i);
    }
  }
};

/// The run First to Last over all elements.
template <class C, class T, int First, int Last>
struct Elements {
  static constexpr int max_threads = most_block_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = First == Last ? Operation<C, First>::name : C::name;
  static constexpr int points_y = dimension_of<C>(1).points;
  /// Lanes of an element.
  static constexpr int lanes = points_y > 0 ? points_y : 1;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;
  bool aligned;

  /// Elements, or rows of the range where only x has points.
  static RIDGE_FN Index count(const Index3& n) {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Index planes = n.z + d.end.z - d.begin.z;
    return points_y > 0 ? planes : planes * (n.y + d.end.y - d.begin.y);
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const int in_warp = lane.width() / lanes; // elements
    const int warps = lane.block_extent().x / lane.width();
    const int warp = lane.thread().x / lane.width();
    // Lanes that are left over at the end of a warp follow the first element.
    const bool left_over = lane.lane() >= in_warp * lanes;
    const int here = left_over ? 0 : lane.lane() / lanes;
    const int part = left_over ? 0 : lane.lane() % lanes;
    const Index asked = (Index{lane.block().x} * warps + warp) * in_warp + here;
    const Index each = count(n);
    const Index all = each * windows.instances();
    Index element = asked < all ? asked : all - 1;
    const Index number = windows.instances() > 1 ? element / each : 0;
    element -= number * each;
    const auto& there = windows.moved(windows, number);
    Index y = part;
    Index z = d.begin.z + element;
    if constexpr (points_y == 0) {
      const Index rows = n.y + d.end.y - d.begin.y;
      y = d.begin.y + element % rows;
      z = d.begin.z + element / rows;
    }
    using M = ElementMemory<Lane, C, T, First, Last>;
    Values<C, typename M::Value> row;
    const M memory{lane, there, n, aligned, asked < all && !left_over, here * lanes, number};
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (run_one<First, First + K, Last, false>(chain, memory, row, 0, y, z), ...);
    }
    (std::make_integer_sequence<int, Last - First + 1>{});
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
