// Kicks and drifts, which move bodies between evaluations of the forces; what adds up forces; and
// how far apart bodies are.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/device/field.hpp>

#include <array>

namespace ridge::pairs {

/// Where bodies that move were when lists of near pairs were built, for GPUs: what a launch finds
/// out so needs no host between steps.
template <class T>
struct Watch {
  std::array<Span<const T>, 3> built;
  T limit_squared = 0; ///< of how far a body may be from there
  /// As ListHalt has it; empty: nobody watches.
  Span<unsigned> halt;
};

/// velocity += acceleration * kicks[0], then += acceleration * kicks[1], then
/// position += velocity * drift. What has a factor of 0 is left out. The two kicks are the end of
/// one leapfrog and the begin of the next: apart or in one go, they give the same bits.
template <class T>
struct Motion {
  std::array<Span<T>, 3> position, velocity;
  std::array<Span<const T>, 3> acceleration;
  std::array<T, 2> kicks{};
  T drift = 0;
  Watch<T> watch = {};
  bool moves_some = false; ///< only these bodies:
  Span<const unsigned> some = {};

  [[nodiscard]] RIDGE_FN Index count() const { return moves_some ? some.size : position[0].size; }
};

/// What each kind's module offers under Motion<T>, for float and double: in queue order.
template <class T>
using MoveBodies = void(Queue& queue, const Motion<T>& motion);

/// to += from, array by array; or to -= from.
template <class T>
struct Addition {
  std::array<Span<T>, 4> to;
  std::array<Span<const T>, 4> from;
  bool subtracts = false;
};

/// What each kind's module offers under Addition<T>, for float and double: in queue order.
template <class T>
using AddUp = void(Queue& queue, const Addition<T>& addition);

/// The least and the greatest coordinates of parts of the bodies.
template <class T>
struct Extent {
  std::array<Span<const T>, 3> position;
  Span<T> bounds; ///< six a part: the least x, y and z, then the greatest
};

/// What each kind's module offers under Extent<T>, for double: in queue order.
template <class T>
using FindExtent = void(Queue& queue, const Extent<T>& extent);

} // namespace ridge::pairs
