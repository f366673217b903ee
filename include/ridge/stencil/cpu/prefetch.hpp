// Lines that are brought into a core's caches while a block of rows is computed.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu/windows_shape.hpp>
#include <ridge/stencil/cpu_schedule.hpp>

#include <algorithm>
#include <array>
#include <type_traits>

namespace ridge::stencil::cpu {

/// A block of whole rows: y and z of its interior points.
struct Block {
  ridge::cpu::Range y, z;
};

/// Where the row lies that is read for the first time `rows` rows after row y of plane z: behind
/// the last row of a plane of the block comes the next plane's first. The rows around the block,
/// which most stencils read in the centre plane only, are left out where a plane leads. `step`:
/// planes computed together, the first of whose leading rows is meant.
template <class T>
const T* leading_row(const View<const T>& in, const Block& block, Offset r, Index y, Index z,
                     Index rows, Index step = 1) {
  const Index around = r.z > 0 ? 0 : r.y;
  const Index height = block.y.end - block.y.begin + 2 * around;
  Index at = y - block.y.begin + around + rows;
  Index planes = 0;
  if (at >= height) { // only then: divisions are long, and this is done for each row
    planes = at / height;
    at %= height;
  }
  const Index lead_z = std::min(z + r.z + planes * step, in.extents.z - step);
  return in.data + in.at(0, block.y.begin - around + at, lead_z);
}

/// Row `rows` rows after row y of plane z of the block, where `step` planes are computed together.
template <class T>
T* later_row(const View<T>& out, const Block& block, Index y, Index z, Index rows, Index step = 1) {
  if (y + rows < block.y.end) return out.data + out.at(0, y + rows, z);
  return out.data + out.at(0, block.y.begin, std::min(z + step, block.z.end - step));
}

/// How rows are asked for ahead of time (CpuSchedule); `rows` = 0: not at all.
struct Lead {
  Index rows = 0;
  int streams = 1;
};

/// The rows that are asked for line by line while one is computed, `Planes` of them together.
///
/// With one stream each line of the leading row is asked for twice, at two distances, since a core
/// drops prefetches that find its miss buffers full. With several, that many rows share what they
/// ask for: a line of each of as many leading rows in turn, a part of their length a row. Memory
/// then reads from several pages at once, which is faster where one page after the other does not
/// keep it busy (docs/design/stencils_on_cpus.md).
template <int Planes, class K, class T>
class Ahead {
public:
  Ahead() = default;
  /// For row y of plane z of the block.
  Ahead(const Call<K, T>& call, const Block& block, Index y, Index z, const Lead& lead)
      : on_(lead.rows > 0) {
    if (!on_) return;
    const Index height = block.y.end - block.y.begin;
    const Index row = (z - block.z.begin) / Planes * height + (y - block.y.begin);
    const Index lines = ceil_div(call.out.extents.x, line);
    const Index part = row & (lead.streams - 1); // of the rows' length
    mask_ = lead.streams - 1;
    shift_ = lead.streams == most_streams ? most_shift : 0;
    start_ = part * lines * line;
    for (int i = 0; i < inputs_of<K>; ++i) {
      const auto leading = [&](Index rows) {
        return leading_row(call.in[i], block, radius_of<K>(), y, z, rows, Planes);
      };
      plane_[i] = call.in[i].plane;
      if (lead.streams == 1) {
        rows_[i][0] = leading(Planes == 1 ? 2 * lead.rows : lead.rows);
        rows_[i][1] = leading(lead.rows);
      } else {
        for (int j = 0; j < most_streams; ++j)
          rows_[i][j] = leading(std::max<Index>(lead.rows, lead.streams) - part + j);
      }
    }
  }

  explicit operator bool() const { return on_; }

  /// Asks for what goes with the line of results at x.
  RIDGE_FN void ask(Index x) const { each(x, Prefetch{}); }

  /// Calls `use` with an address in each line that is asked for with the line of results at x.
  template <class Use>
  RIDGE_FN void each(Index x, const Use& use) const {
    const Index place = start_ + x;
    const Index j = place / line & mask_;
    const Index at = place >> shift_;
    RIDGE_UNROLL
    for (int i = 0; i < inputs_of<K>; ++i) {
      RIDGE_UNROLL
      for (int k = 0; k < Planes; ++k)
        use(rows_[i][j] + at + k * plane_[i]);
      if (Planes == 1 && mask_ == 0) use(rows_[i][1] + at);
    }
  }

private:
  /// Rows of several planes lie in few sets of the L1, where they would push each other out.
  using Prefetch =
      std::conditional_t<Planes == 1, ridge::cpu::PrefetchIntoL1, ridge::cpu::PrefetchIntoL2>;
  static constexpr Index line = line_bytes / static_cast<Index>(sizeof(T));
  static constexpr int most_shift = 2;
  static constexpr int most_streams = 1 << most_shift;

  std::array<std::array<const T*, most_streams>, inputs_of<K>> rows_{};
  std::array<Index, inputs_of<K>> plane_{};
  Index start_ = 0; ///< elements of all rows that those before this one ask for
  Index mask_ = 0;
  int shift_ = 0;
  bool on_ = false;
};

} // namespace ridge::stencil::cpu
