// Neighbours of packs of points: all that a lane's tile reads of memory, in accesses of 16 bytes.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/march_block.hpp>

#include <tuple>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// The footprint of `Tile` packs of N points in y, held in registers. Packs outside the union of
/// their footprints are never touched, and so never exist.
template <auto Footprint, int Tile, class T, int N>
struct PackWindow {
  static constexpr Offset r = Footprint.radius();
  /// Packs to each side of the lane's own.
  static constexpr int side = (r.x + N - 1) / N;
  Pack<T, N> value[2 * r.z + 1][2 * r.y + Tile][2 * side + 1];

  /// True when some point of the tile reads pack `pack` of row `row` of the window, at dz.
  static constexpr bool wanted(int pack, int row, int dz) {
    for (const Offset& o : Footprint.offsets) {
      const int skip = ((o.x % N) + N) % N;
      const int first = (o.x - skip) / N;
      const bool in_row = o.z == dz && row - r.y >= o.y && row - r.y < o.y + Tile;
      if (in_row && (pack == first || (skip != 0 && pack == first + 1))) return true;
    }
    return false;
  }
};

template <auto Footprint, int Tile, class Lane, class T, int N>
struct PackNeighbours {
  const Lane& lane;
  const PackWindow<Footprint, Tile, T, N>& window;
  int point;

  RIDGE_DEVICE Pack<T, N> operator()(int dx, int dy = 0, int dz = 0) const {
    using W = PackWindow<Footprint, Tile, T, N>;
    check_declared<Footprint>(lane, dx, dy, dz);
    return spliced<T, N>(dx, [&](int first) {
      return window.value[dz + W::r.z][point + dy + W::r.y][first / N + W::side];
    });
  }
};

/// Whether all that the windows of packs from `at` on may load lies within the field.
template <class K, int Tile, int N, class T>
RIDGE_DEVICE bool holds_window(const View<const T>& field, Index at) {
  constexpr Offset r = radius_of<K>();
  constexpr int side = (r.x + N - 1) / N * N;
  const Index before = r.y * field.row + r.z * field.plane + side;
  const Index after = (Tile - 1 + r.y) * field.row + r.z * field.plane + side + N;
  return at >= before && at + after <= field.span();
}

template <auto Footprint, int Tile, int N, class Lane, class T>
RIDGE_DEVICE PackWindow<Footprint, Tile, T, N>
load_pack_window(Lane& lane, const View<const T>& field, Index at) {
  using W = PackWindow<Footprint, Tile, T, N>;
  constexpr Offset r = W::r;
  W window;
  const Span<const T> elements = field.elements();
  unrolled<2 * r.z + 1>([&](auto k) {
    unrolled<2 * r.y + Tile>([&](auto j) {
      unrolled<2 * W::side + 1>([&](auto i) {
        constexpr int pack = number<decltype(i)> - W::side;
        constexpr int dz = number<decltype(k)> - r.z;
        if constexpr (W::wanted(pack, number<decltype(j)>, dz)) {
          window.value[k][j][i] = lane.template load_pack<N>(
              elements, at + pack * N + (j - r.y) * field.row + dz * field.plane);
        }
      });
    });
  });
  return window;
}

/// Packs of results of a tile from (x, y, z) on: calls store(row, pack). All inputs hold the
/// window.
template <int Tile, int N, class Lane, class K, class T, class Store>
RIDGE_DEVICE void for_each_pack(Lane& lane, const Call<K, T>& call, Index x, Index y, Index z,
                                Store&& store) {
  const auto windows = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::make_tuple(
        load_pack_window<footprint_of<K, I>, Tile, N>(lane, call.in[I], call.in[I].at(x, y, z))...);
  }
  (std::make_index_sequence<inputs_of<K>>{});
  unrolled<Tile>([&](auto row) {
    store(
        row, [&]<std::size_t... I>(std::index_sequence<I...>) {
          return Pack<T, N>(call.kernel(PackNeighbours<footprint_of<K, I>, Tile, Lane, T, N>{
              lane, std::get<I>(windows), row}...));
        }(std::make_index_sequence<inputs_of<K>>{}));
  });
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
