// GPU executor "points": each lane computes `tile` points that follow each other in y, or as many
// packs of 16 bytes of them.
//
// This is the kernel of the AMD Laplacian series under its schedules 1 to 7: neighbours are loaded
// from memory where the kernel asks for them, or all at once in ascending address order into
// registers, there also in packs; stores are plain or non-temporal; blocks walk the field in any
// order of the axes.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/pack_window.hpp>
#include <ridge/stencil/gpu/plan.hpp>
#include <ridge/stencil/variants.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// The block over the field that a lane of a launch works on.
RIDGE_DEVICE Dim3 block_of(const GridMap& map, const Dim3& launched) {
  int at[3] = {map.first[0], map.first[1], map.first[2]};
  const int walked[3] = {launched.x, launched.y, launched.z};
  RIDGE_UNROLL
  for (int g = 0; g < 3; ++g) {
    RIDGE_UNROLL
    for (int axis = 0; axis < 3; ++axis)
      at[axis] += map.axis_of[g] == axis ? walked[g] : 0;
  }
  return {at[0], at[1], at[2]};
}

template <class K, class T, PointsVariant P>
struct Points {
  static constexpr int max_threads = P.bounds;
  static constexpr const char* name = "stencil points";
  /// Points of a lane in x.
  static constexpr int vector = P.loads == Loads::packs ? 16 / static_cast<int>(sizeof(T)) : 1;

  Call<K, T> call;
  PointsPlan plan;

  static constexpr BodyFacts facts() {
    BodyFacts f = body_facts<Points>();
    f.vector = vector;
    return f;
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Offset r = radius_of<K>();
    const Dim3 b = block_of(plan.grid, lane.block());
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const Index3 n = call.out.extents;
    const Index x = (Index{b.x} * shape.x + t.x) * vector;
    const Index y = plan.y_begin + (Index{b.y} * shape.y + t.y) * P.tile;
    const Index z = Index{b.z} * shape.z + t.z;
    if (x + vector <= plan.x_first || x >= n.x - r.x || z < r.z || z >= n.z - r.z ||
        y >= plan.y_end)
      return;
    if constexpr (vector > 1) {
      in_packs(lane, x, y, z);
      return;
    }
    if constexpr (P.loads == Loads::ascending) { // its windows are as wide as the footprint
      if (y >= r.y && y + P.tile <= n.y - r.y && y + P.tile <= plan.y_end) {
        ascending(lane, x, y, z);
        return;
      }
    }
    in_stencil_order(lane, x, y, z);
  }

private:
  template <class Lane>
  RIDGE_DEVICE void in_packs(Lane& lane, Index x, Index y, Index z) const {
    constexpr Offset r = radius_of<K>();
    const Index3 n = call.out.extents;
    bool whole = y >= r.y && y + P.tile <= n.y - r.y && y + P.tile <= plan.y_end;
    for (const auto& in : call.in)
      whole = whole && holds_window<K, P.tile, vector>(in, in.at(x, y, z));
    const auto is_result = [&](int i) { return x + i >= plan.x_first && x + i < n.x - r.x; };
    if (!whole) {
      RIDGE_NO_UNROLL
      for (int i = 0; i < vector; ++i) {
        if (is_result(i)) in_stencil_order(lane, x + i, y, z);
      }
      return;
    }
    const bool inside = is_result(0) && is_result(vector - 1);
    for_each_pack<P.tile, vector>(lane, call, x, y, z, [&](int row, const Pack<T, vector>& pack) {
      if (inside) {
        store(lane, x, y + row, z, pack);
        return;
      }
      RIDGE_UNROLL
      for (int i = 0; i < vector; ++i) {
        if (is_result(i)) store(lane, x + i, y + row, z, Pack<T, 1>(pack[i]));
      }
    });
  }

  template <class Lane, int N>
  RIDGE_DEVICE void store(Lane& lane, Index x, Index y, Index z, const Pack<T, N>& value) const {
    constexpr bool emulated = std::is_same_v<Here, target::Simt>;
    if ((emulated ? plan.how : P.store) == Store::nontemporal) {
      put<Store::nontemporal>(lane, call.out.elements(), call.out.at(x, y, z), value);
    } else {
      put<Store::plain>(lane, call.out.elements(), call.out.at(x, y, z), value);
    }
  }

  template <class Lane>
  RIDGE_DEVICE void in_stencil_order(Lane& lane, Index x, Index y, Index z) const {
    constexpr Offset r = radius_of<K>();
    RIDGE_UNROLL
    for (int i = 0; i < P.tile; ++i) {
      const Index row = y + i;
      if (row >= r.y && row < call.out.extents.y - r.y && row < plan.y_end) {
        store(lane, x, row, z, evaluate_direct(lane, call, x, row, z));
      }
    }
  }

  template <class Lane>
  RIDGE_DEVICE void ascending(Lane& lane, Index x, Index y, Index z) const {
    const auto windows = load_windows<P.tile>(lane, call, x, y, z);
    RIDGE_UNROLL
    for (int i = 0; i < P.tile; ++i) {
      store(lane, x, y + i, z, evaluate_windows<K>(lane, call.kernel, windows, i));
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
