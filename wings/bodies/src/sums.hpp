// Kernels that add up forces of several launches, and find how far apart bodies are.
#pragma once

#include <ridge/device/field.hpp>

#include <array>

namespace ridge::nbody {

/// to += from, array by array; or to -= from.
template <class T>
struct Addition {
  std::array<Span<T>, 4> to;
  std::array<Span<const T>, 4> from;
  bool subtracts = false;
};

/// Each kind's module offers it under Addition<T>, for float and double: in queue order.
template <class T>
using AddUp = void(Queue& queue, const Addition<T>& addition);

/// The least and the greatest coordinates of parts of the bodies.
template <class T>
struct Extent {
  std::array<Span<const T>, 3> position;
  Span<T> bounds; ///< six a part: the least x, y and z, then the greatest
};

/// Each kind's module offers it under Extent<T>, for double: in queue order.
template <class T>
using FindExtent = void(Queue& queue, const Extent<T>& extent);

} // namespace ridge::nbody
