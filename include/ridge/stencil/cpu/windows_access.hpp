// How a kernel on the cpu reads its neighbours where several planes are computed at once.
#pragma once

#include <ridge/stencil/cpu/windows_shape.hpp>

#include <array>
#include <cstring>
#include <utility>

namespace ridge::stencil::cpu {

#if defined(__AVX512F__)
/// Elements `From` and on of `low` followed by `high`, a whole register of 64 bytes.
template <int From, class V>
RIDGE_FN V elements_from(const V& low, const V& high) {
  __m512i a;
  __m512i b;
  std::memcpy(&a, &low.lanes, 64);
  std::memcpy(&b, &high.lanes, 64);
  // With a mask, since the compiler takes the plain form's unused operand for uninitialised.
  const __m512i both = sizeof(Element<V>) == 8 ? _mm512_maskz_alignr_epi64(0xff, b, a, From)
                                               : _mm512_maskz_alignr_epi32(0xffff, b, a, From);
  V result;
  std::memcpy(&result.lanes, &both, 64);
  return result;
}

/// Replaces `result` by the vector `dx` elements beside `at`, for |dx| of 1 to sizeof...(I).
template <class V, int... I>
RIDGE_FN void join_lines(V& result, const Element<V>* at, int dx,
                         std::integer_sequence<int, I...> /*all*/) {
  constexpr int width = lanes_of<V>;
  ((dx == I + 1    ? void(result = elements_from<I + 1>(V::load(at), V::load(at + width)))
    : dx == -I - 1 ? void(result = elements_from<width - I - 1>(V::load(at - width), V::load(at)))
                   : void()),
   ...);
}
#endif

/// The vector `dx` elements beside `at`, which is aligned, where |dx| is at most `Reach` and known
/// once this is inlined. Vectors of whole lines are put together from the aligned ones around them,
/// which all neighbours along x share: a load that crosses a line costs two.
template <int Reach, class V>
RIDGE_FN V load_beside(const Element<V>* at, int dx) {
  V result = V::load(at + dx);
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == line_bytes && Reach < lanes_of<V>)
    join_lines(result, at, dx, std::make_integer_sequence<int, Reach>{});
#endif
  return result;
}

/// The points of a vector in all planes that are read together, from the tile's first less the
/// radius on.
template <class S, class V>
using Column = std::array<V, S::depth + 2 * S::r.z>;

/// Neighbours of a vector of points of plane `Plane` of the tile.
template <class S, std::size_t I, int Plane, class V>
struct DeepNeighbours {
  using T = Element<V>;
  const std::array<const T*, S::rows>& window; ///< rows of the first window, at the points
  const T* field;                              ///< at the points, in plane 0
  Index row, plane;
  const Column<S, V>& column;

  RIDGE_FN V operator()(int dx, int dy = 0, int dz = 0) const {
    constexpr WindowPlanes held = S::template planes<I>;
    const int z = Plane + dz;
    if (dx == 0 && dy == 0) return column[static_cast<std::size_t>(z + S::r.z)];
    if (z >= held.first && z < held.first + held.count) {
      const T* const at =
          window[dy + S::r.y] + (S::template begin<I>() + (z - held.first) * S::pitch);
      return load_beside<S::r.x, V>(at, dx);
    }
    return V::load(field + z * plane + dy * row + dx);
  }
};

/// Reads the points of input I at a vector: from its window where that holds the plane.
template <class S, std::size_t I, class V>
RIDGE_FN Column<S, V> load_column(const std::array<const Element<V>*, S::rows>& window,
                                  const Element<V>* field, Index plane) {
  constexpr WindowPlanes held = S::template planes<I>;
  Column<S, V> column;
  RIDGE_UNROLL
  for (int z = -S::r.z; z < S::depth + S::r.z; ++z) {
    const bool in_window = z >= held.first && z < held.first + held.count;
    column[static_cast<std::size_t>(z + S::r.z)] =
        in_window ? V::load(window[S::r.y] + (S::template begin<I>() + (z - held.first) * S::pitch))
                  : V::load(field + z * plane);
  }
  return column;
}

} // namespace ridge::stencil::cpu
