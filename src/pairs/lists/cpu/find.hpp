// Finding the list of a group of bodies on the cpu: candidates in packs against each body.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/pairs/lists/grid.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
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
  const float* placed; ///< x of all slots, then y and z, `stride` apart
  Index stride;
  const unsigned* row_begins; ///< of cells row by row along x, images' cells among them
  const float* row_placed;    ///< as `placed`, in that order
  const unsigned* row_slots;  ///< their numbers

  /// Bodies of cells near a group: of a thread's own.
  struct Candidates {
    std::vector<float> x, y, z;
    std::vector<unsigned> slot;
    Index count = 0;
    std::vector<float> away_x; ///< of cells, as `away`
  };

  /// The number of a row's first cell among `cells`.
  [[nodiscard]] static Index row_of(const Grid& grid, int y, int z) {
    const Index rows = (z + grid.halo[2]) * Index{grid.cells[1] + 2 * grid.halo[1]} + y;
    return (rows + grid.halo[1]) * (grid.cells[0] + 2 * grid.halo[0]);
  }

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
    near.away_x.clear();
    for (int x = from[0]; x <= to[0]; ++x)
      near.away_x.push_back(away(0, x, low, high));
    const auto is_far = [&](float far_yz, int x) {
      return far_yz + near.away_x[static_cast<std::size_t>(x - from[0])] > reach * reach;
    };
    for (int z = from[2]; z <= to[2]; ++z) {
      const float far_z = away(2, z, low, high);
      for (int y = from[1]; y <= to[1]; ++y) {
        const float far_yz = far_z + away(1, y, low, high);
        if (far_yz > reach * reach) continue;
        int begin = from[0];
        int end = to[0] + 1; // cells that are near follow each other
        while (begin < end && is_far(far_yz, begin))
          ++begin;
        while (end > begin && is_far(far_yz, end - 1))
          --end;
        const unsigned* const row = row_begins + row_of(grid, y, z) + grid.halo[0];
        take(row[begin], row[end], near);
      }
    }
    make_room(list.size() + static_cast<std::size_t>(near.count + padding));
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

  /// In packs: what is behind the last is overwritten by the next.
  void take(Index begin, Index end, Candidates& near) const {
    const Index needed = near.count + (end - begin) + padding;
    if (static_cast<Index>(near.slot.size()) < needed) {
      for (auto* const values : {&near.x, &near.y, &near.z})
        values->resize(static_cast<std::size_t>(2 * needed));
      near.slot.resize(static_cast<std::size_t>(2 * needed));
    }
    Index to = near.count;
    for (Index at = begin; at < end; at += lanes, to += lanes) {
      V::load(row_placed + at).store(near.x.data() + to);
      V::load(row_placed + at + stride).store(near.y.data() + to);
      V::load(row_placed + at + 2 * stride).store(near.z.data() + to);
      std::copy_n(row_slots + at, lanes, near.slot.data() + to);
    }
    near.count += end - begin;
  }

  /// Against each body of the group, in packs; what is behind the last is not taken.
  void look(const Candidates& near, Index first, int count, std::vector<unsigned>& list) const {
    const std::size_t before = list.size();
    list.resize(before + static_cast<std::size_t>(near.count + padding));
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
      const Index here = std::min<Index>(lanes, near.count - begin);
      const unsigned all = (1U << static_cast<unsigned>(here)) - 1;
      to = pick(bits_of(least < limit) & all, near.slot.data() + begin,
                static_cast<unsigned>(first), static_cast<unsigned>(count), to);
    }
    list.resize(static_cast<std::size_t>(to - list.data()));
  }

  /// Bit l: whether the mask holds in lane l.
  [[nodiscard]] static unsigned bits_of(const V::MaskType& mask) {
#if defined(__AVX512F__)
    __m512i lanes_512;
    std::memcpy(&lanes_512, &mask.bits, sizeof(lanes_512));
    return _mm512_test_epi32_mask(lanes_512, lanes_512);
#elif defined(__AVX__)
    __m256 lanes_256;
    std::memcpy(&lanes_256, &mask.bits, sizeof(lanes_256));
    return static_cast<unsigned>(_mm256_movemask_ps(lanes_256));
#else
    unsigned bits = 0;
    for (int l = 0; l < lanes; ++l)
      bits |= (mask[l] ? 1U : 0U) << static_cast<unsigned>(l);
    return bits;
#endif
  }

  /// Writes the slots whose bits are set, in their order, but for `count` from `first` on. Returns
  /// where the next go; may write a pack beyond.
  static unsigned* pick(unsigned bits, const unsigned* slots, unsigned first, unsigned count,
                        unsigned* to) {
#if defined(__AVX512F__)
    const __m512i all = _mm512_loadu_si512(slots);
    const __m512i from_first = _mm512_sub_epi32(all, _mm512_set1_epi32(static_cast<int>(first)));
    const __mmask16 taken = _mm512_mask_cmpge_epu32_mask(
        static_cast<__mmask16>(bits), from_first, _mm512_set1_epi32(static_cast<int>(count)));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(taken, all));
    return to + std::popcount(static_cast<unsigned>(taken));
#else
    for (; bits != 0; bits &= bits - 1) {
      const unsigned slot = slots[std::countr_zero(bits)];
      *to = slot;
      to += slot - first >= count ? 1 : 0;
    }
    return to;
#endif
  }
};

} // namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME
