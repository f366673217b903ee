// Parts that marching blocks have in common, however they fetch planes: what they take at a time,
// and which of its points are a lane's.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/gpu/plan.hpp>
#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/variants.hpp>

#include <array>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// A unit of a block's work: a tile in x and y, some planes in z.
struct MarchUnit {
  Index x_begin, y_begin, z_begin, z_end;
  Index x_first; ///< result of a row
};

RIDGE_DEVICE MarchUnit unit_at(const MarchUnits& units, int u) {
  const int tiles = units.tiles_x * units.tiles_y;
  const int chunk = u / tiles;
  const int tile = u - chunk * tiles;
  const int row = tile / units.tiles_x;
  const Index z = units.z_first + chunk * units.planes;
  return {units.x_begin + Index{tile - row * units.tiles_x} * units.tile_x,
          units.y_first + Index{row} * units.tile_y, z,
          z + units.planes < units.z_end ? z + units.planes : units.z_end, units.x_first};
}

/// True when the last row of the last plane is read: only there can a row's last elements lie
/// behind the field's last whole 16 bytes.
template <class K>
constexpr bool reads_last_row() {
  constexpr Offset r = radius_of<K>();
  bool reads = false;
  std::apply(
      [&](const auto&... f) {
        const auto look = [&](const auto& footprint) {
          for (const Offset& o : footprint.offsets)
            reads = reads || (o.y == r.y && o.z == r.z);
        };
        (look(f), ...);
      },
      footprints_of<K>());
  return reads;
}

/// A lane computes `vector` points of `M.tile` rows.
template <class K, class T, MarchVariant M>
struct MarchBlock {
  static constexpr Offset r = radius_of<K>();
  static constexpr int inputs = inputs_of<K>;
  static constexpr int vector = M.rows == Rows::anywhere ? 1 : 16 / static_cast<int>(sizeof(T));
  static constexpr int threads_x = M.threads_x;
  static constexpr int consumers = M.threads_x * M.threads_y;
  static constexpr int tile_x = M.threads_x * vector;
  static constexpr int tile_y = M.threads_y * M.tile;
  static constexpr int rows = tile_y + 2 * r.y;

  using Value = Pack<T, vector>;
  using Results = std::array<Value, M.tile>;
};

/// The pack that begins `dx` elements behind an aligned one, assembled from the two aligned packs
/// that hold it. `aligned(d)` is the one at `d`, a multiple of N.
template <class T, int N, class Aligned>
RIDGE_DEVICE Pack<T, N> spliced(int dx, Aligned&& aligned) {
  const int skip = ((dx % N) + N) % N;
  const int first = dx - skip;
  const Pack<T, N> a = aligned(first);
  if (skip == 0) return a;
  const Pack<T, N> b = aligned(first + N);
  return Pack<T, N>::make([&](int i) {
    return i + skip < N ? a[i + skip < N ? i + skip : 0] : b[i + skip < N ? 0 : i + skip - N];
  });
}

/// The N elements from `skip` on of two packs that follow each other; `skip` is less than N.
template <class T, int N>
RIDGE_DEVICE Pack<T, N> from_both(const Pack<T, N>& a, const Pack<T, N>& b, int skip) {
  T both[2 * N];
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    both[i] = a[i];
    both[N + i] = b[i];
  }
  RIDGE_UNROLL
  for (int step = N / 2; step > 0; step /= 2) {
    const bool skips = (skip & step) != 0;
    RIDGE_UNROLL
    for (int i = 0; i + step < 2 * N; ++i)
      both[i] = skips ? both[i + step] : both[i];
  }
  return Pack<T, N>::make([&](int i) { return both[i]; });
}

/// The N elements of two packs that follow each other, beginning `back` before the second; `back`
/// is less than N.
template <class T, int N>
RIDGE_DEVICE Pack<T, N> back_from(const Pack<T, N>& a, const Pack<T, N>& b, int back) {
  T both[2 * N];
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    both[i] = a[i];
    both[N + i] = b[i];
  }
  RIDGE_UNROLL
  for (int step = N / 2; step > 0; step /= 2) {
    const bool goes = (back & step) != 0;
    RIDGE_UNROLL
    for (int i = 2 * N - 1; i >= step; --i)
      both[i] = goes ? both[i - step] : both[i];
  }
  return Pack<T, N>::make([&](int i) { return both[N + i]; });
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
