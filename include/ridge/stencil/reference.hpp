// The reference: plain sequential loops in double. The oracle of all stencil tests and checks.
#pragma once

#include <ridge/core/pack_array.hpp>
#include <ridge/core/pack_bounded.hpp>
#include <ridge/device/field.hpp>
#include <ridge/stencil/kernel.hpp>

#include <array>
#include <utility>

namespace ridge::stencil {

namespace detail {

/// A neighbour access in double, one point at a time.
template <class T>
struct ReferenceNeighbours {
  const T* at;
  Index row, plane;
  Pack<double, 1, abi::Array> operator()(int dx, int dy = 0, int dz = 0) const {
    return static_cast<double>(at[dx + dy * row + dz * plane]);
  }
};

/// The result, from numbers that are exact in T.
template <class T>
struct BoundedNeighbours {
  const T* at;
  Index row, plane;
  BoundedPack<T> operator()(int dx, int dy = 0, int dz = 0) const {
    return {static_cast<double>(at[dx + dy * row + dz * plane]), 0};
  }
};

} // namespace detail

/// The kernel at one point.
template <class K, class T>
[[nodiscard]] double reference_at(const K& kernel,
                                  const std::array<View<const T>, inputs_of<K>>& in, Index x,
                                  Index y, Index z) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return kernel(detail::ReferenceNeighbours<T>{in[I].data + in[I].at(x, y, z), in[I].row,
                                                 in[I].plane}...)[0];
  }
  (std::make_index_sequence<inputs_of<K>>{});
}

/// The error of the kernel in precision T there, at most, the rounding of its result included.
template <class K, class T>
[[nodiscard]] double bound_at(const K& kernel, const std::array<View<const T>, inputs_of<K>>& in,
                              Index x, Index y, Index z) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const BoundedPack<T> result(kernel(
        detail::BoundedNeighbours<T>{in[I].data + in[I].at(x, y, z), in[I].row, in[I].plane}...));
    return result.bound + rounding_of<T>(result[0]);
  }
  (std::make_index_sequence<inputs_of<K>>{});
}

/// Applies `kernel` at every interior point; the others keep their values.
template <class K, class T>
void apply_reference(const K& kernel, const std::array<View<const T>, inputs_of<K>>& in,
                     const View<double>& out) {
  constexpr Offset r = radius_of<K>();
  const Index3 n = out.extents;
  for (Index z = r.z; z < n.z - r.z; ++z) {
    for (Index y = r.y; y < n.y - r.y; ++y) {
      for (Index x = r.x; x < n.x - r.x; ++x) {
        out.data[out.at(x, y, z)] = reference_at(kernel, in, x, y, z);
      }
    }
  }
}

} // namespace ridge::stencil
