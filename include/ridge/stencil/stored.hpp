// Stencils of fields that are stored in 16 bits, their mathematics in fp32.
//
// Stored<K> is K on fields of ridge::Fp16 or ridge::Bf16: it widens each neighbour that K asks for
// and rounds the result once. All executors run it: what they move are 16 bits.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/stencil/kernel.hpp>

namespace ridge::stencil {

/// What K sees of a field: fp32 numbers.
template <class N>
struct WidenedNeighbours {
  const N& stored;
  RIDGE_FN auto operator()(int dx, int dy = 0, int dz = 0) const {
    return widened(stored(dx, dy, dz));
  }
};

template <class K>
struct Stored : K {
  /// Parts of its sums would be rounded.
  static constexpr bool linear = false;

  template <class N, class... More>
  RIDGE_FN auto operator()(const N& first, const More&... more) const {
    using V = std::remove_cvref_t<decltype(first(0, 0, 0))>;
    const WidenedPack<V> result(static_cast<const K&>(*this)(WidenedNeighbours<N>{first},
                                                             WidenedNeighbours<More>{more}...));
    return rounded_to<Element<V>>(result);
  }
};

/// Windows of several planes shift registers of 4 and 8 bytes.
template <class K>
inline constexpr bool has_planes<Stored<K>> = false;

} // namespace ridge::stencil
