// Finding the list of a group of bodies on the cpu: candidates in packs against each body.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/pairs/lists/grid.hpp>

#include <algorithm>
#include <vector>

namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME {

struct Finder {
  using V = NativePack<float>;
  static constexpr int lanes = lanes_of<V>;
  static constexpr Index padding = lanes; ///< slots that may be read behind the last

  Grid grid;
  Index bodies;
  int share;
  float reach;
  const unsigned* begins; ///< of cells
  const float* placed;    ///< x of all slots, then y and z, `stride` apart
  Index stride;

  /// Appends the list of a group: slots that are near any of its bodies, but for these.
  void find(Index group, std::vector<unsigned>& list) const {
    const Index first = group * share;
    const int count = static_cast<int>(std::min<Index>(share, bodies - first));
    float low[3], high[3];
    for (int a = 0; a < 3; ++a) {
      const auto [least, most] =
          std::minmax_element(placed + first + a * stride, placed + first + count + a * stride);
      low[a] = *least;
      high[a] = *most;
    }
    int from[3], to[3];
    for (int a = 0; a < 3; ++a) {
      from[a] = grid.first_cell(a, low[a] - reach);
      to[a] = grid.last_cell(a, high[a] + reach);
    }
    for (int z = from[2]; z <= to[2]; ++z) {
      const float far_z = away(2, z, low, high);
      for (int y = from[1]; y <= to[1]; ++y) {
        const float far_yz = far_z + away(1, y, low, high);
        if (far_yz > reach * reach) continue;
        for (int x = from[0]; x <= to[0]; ++x) {
          if (far_yz + away(0, x, low, high) > reach * reach) continue;
          const Index cell = grid.number_of(x, y, z);
          look(begins[cell], begins[cell + 1], first, count, list);
        }
      }
    }
  }

private:
  /// The square of how far a cell is from the box along an axis.
  [[nodiscard]] float away(int axis, int cell, const float (&low)[3],
                           const float (&high)[3]) const {
    const float side = 1 / static_cast<float>(grid.inverse_side[axis]);
    const float far = std::max(low[axis] - static_cast<float>(cell + 1) * side,
                               static_cast<float>(cell) * side - high[axis]);
    return far > 0 ? far * far : 0;
  }

  void look(Index begin, Index end, Index first, int count, std::vector<unsigned>& list) const {
    for (Index slot = begin; slot < end; slot += lanes) {
      const V x = V::load(placed + slot);
      const V y = V::load(placed + slot + stride);
      const V z = V::load(placed + slot + 2 * stride);
      V least(1e30F);
      for (int k = 0; k < count; ++k) {
        const V dx = x - placed[first + k];
        const V dy = y - placed[first + k + stride];
        const V dz = z - placed[first + k + 2 * stride];
        least = min(least, dx * dx + (dy * dy + dz * dz));
      }
      float squared[lanes];
      least.store(squared);
      const int here = static_cast<int>(std::min<Index>(lanes, end - slot));
      for (int l = 0; l < here; ++l) {
        const Index other = slot + l;
        if (squared[l] < reach * reach && (other < first || other >= first + count))
          list.push_back(static_cast<unsigned>(other));
      }
    }
  }
};

} // namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME
