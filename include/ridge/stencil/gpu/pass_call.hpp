// Arguments of a launch of several sweeps in one pass.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/stencil/gpu/pass_faces.hpp>
#include <ridge/stencil/gpu/pass_shape.hpp>
#include <ridge/stencil/pass_plan.hpp>

#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, GpuPassVariant P>
struct PassCall {
  using Shape = PassShape<K, T, P>;
  struct Nothing {};
  using Map = std::conditional_t<Shape::takes_tiles, PassMap, Nothing>;
  /// The time level before, with rows and planes like the newest's.
  struct Older {
    Span<const T> in_rows;
    Span<T> out;
    Map map;
  };

  K kernel;
  View<const T> in;
  Span<const T> in_rows; ///< all of its rows, what lies between them included
  View<T> out;
  Span<const PassJob> jobs;
  Span<int> taken; ///< how many jobs are, and how many blocks have ended; both 0 between launches
  std::conditional_t<(Shape::levels > 1), Older, Nothing> older;
  std::conditional_t<P.moving, PassFaces<NumberOf<T>, Shape::radius>, Nothing> faces;
  Map map;

  /// Planes of results that are stored once more, so many elements further in memory: in that of
  /// another rank.
  struct Needed {
    int begin = 0, end = 0;
    Index further = 0, older_further = 0;
  };
  Needed needed[2];

  // Strides of all fields. In 32 bits, so that a place is found in one instruction.
  [[nodiscard]] RIDGE_DEVICE int row() const { return static_cast<int>(in.row); }
  [[nodiscard]] RIDGE_DEVICE int plane() const { return static_cast<int>(in.plane); }

  /// Whether planes beyond the field are those at its other end.
  [[nodiscard]] RIDGE_DEVICE bool periodic_in(int axis) const {
    if constexpr (P.moving) return faces.periodic[axis];
    (void)axis;
    return false;
  }
};

/// Elements from `n` on; before the first one, what is none of the array is never asked
/// for.
template <class E>
RIDGE_DEVICE Span<E> moved(const Span<E>& from, Index n) {
  return {from.data + n, from.size - n};
}

/// Those elements of a field that lies alike, so many elements further in memory.
template <class E>
RIDGE_DEVICE Span<E> elsewhere(const Span<E>& here, Index further) {
  return {here.data + further, here.size};
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
