// What is brought into a core's caches while a block of rows is computed.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu_deep_shape.hpp>

#include <algorithm>
#include <array>

namespace ridge::stencil::cpu {

/// A block of whole rows: y and z of its interior points.
struct Block {
  ridge::cpu::Range y, z;
};

/// The rows that are asked for line by line while one is computed. Each is asked for twice, since a
/// core drops prefetches that find its miss buffers full (docs/performance.md).
template <class K, class T>
struct Ahead {
  std::array<const T*, inputs_of<K>> first{};  ///< null: none
  std::array<const T*, inputs_of<K>> second{}; ///< nearer
  T* write = nullptr; ///< whose first and last line are only partly written
};

template <class K, class T>
RIDGE_FN void prefetch_line(const Ahead<K, T>& ahead, Index x) {
  RIDGE_UNROLL
  for (int i = 0; i < inputs_of<K>; ++i) {
    __builtin_prefetch(ahead.first[i] + x, 0, 3);
    __builtin_prefetch(ahead.second[i] + x, 0, 3);
  }
}

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

} // namespace ridge::stencil::cpu
