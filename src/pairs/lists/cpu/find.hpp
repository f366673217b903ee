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

  /// Bodies of cells near a group: of a thread's own.
  struct Candidates {
    std::vector<float> x, y, z;
    std::vector<unsigned> slot;
    Index count = 0;
  };

  /// Appends the list of a group: slots that are near any of its bodies, but for these. Calls
  /// `make_room(entries)` before the list grows to so many.
  template <class MakeRoom>
  void find(Index group, Candidates& near, std::vector<unsigned>& list,
            const MakeRoom& make_room) const {
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
    near.count = 0;
    for (int z = from[2]; z <= to[2]; ++z) {
      const float far_z = away(2, z, low, high);
      for (int y = from[1]; y <= to[1]; ++y) {
        const float far_yz = far_z + away(1, y, low, high);
        if (far_yz > reach * reach) continue;
        for (int x = from[0]; x <= to[0]; ++x) {
          if (far_yz + away(0, x, low, high) > reach * reach) continue;
          const Index cell = grid.number_of(x, y, z);
          take(begins[cell], begins[cell + 1], near);
        }
      }
    }
    make_room(list.size() + static_cast<std::size_t>(near.count));
    look(near, first, count, list);
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

  void take(Index begin, Index end, Candidates& near) const {
    const Index needed = near.count + (end - begin) + padding;
    if (static_cast<Index>(near.slot.size()) < needed) {
      for (auto* const values : {&near.x, &near.y, &near.z})
        values->resize(static_cast<std::size_t>(2 * needed));
      near.slot.resize(static_cast<std::size_t>(2 * needed));
    }
    for (Index slot = begin; slot < end; ++slot) {
      const auto to = static_cast<std::size_t>(near.count++);
      near.x[to] = placed[slot];
      near.y[to] = placed[slot + stride];
      near.z[to] = placed[slot + 2 * stride];
      near.slot[to] = static_cast<unsigned>(slot);
    }
  }

  /// Against each body of the group, in packs; what is behind the last is not taken.
  void look(const Candidates& near, Index first, int count, std::vector<unsigned>& list) const {
    const std::size_t before = list.size();
    list.resize(before + static_cast<std::size_t>(near.count));
    unsigned* to = list.data() + before;
    const V limit(reach * reach);
    for (Index begin = 0; begin < near.count; begin += lanes) {
      const V x = V::load(near.x.data() + begin);
      const V y = V::load(near.y.data() + begin);
      const V z = V::load(near.z.data() + begin);
      V least(1e30F);
      for (int k = 0; k < count; ++k) {
        const V dx = x - placed[first + k];
        const V dy = y - placed[first + k + stride];
        const V dz = z - placed[first + k + 2 * stride];
        least = min(least, dx * dx + (dy * dy + dz * dz));
      }
      float squared[lanes];
      select(least < limit, V(1), V(0)).store(squared);
      const int here = static_cast<int>(std::min<Index>(lanes, near.count - begin));
      for (int l = 0; l < here; ++l) {
        const unsigned slot = near.slot[static_cast<std::size_t>(begin + l)];
        const bool is_own = slot >= first && slot < first + count;
        *to = slot;
        to += squared[l] != 0 && !is_own ? 1 : 0;
      }
    }
    list.resize(static_cast<std::size_t>(to - list.data()));
  }
};

} // namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME
