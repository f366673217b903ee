// Kicks and drifts, which move bodies between evaluations of the forces.
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
  /// GPUs, in place of `some`: the slot of each body, and from and to which bodies move. Threads
  /// that follow each other so have values that follow each other.
  Span<const unsigned> home = {};
  Index first_slot = 0, end_slot = 0;

  [[nodiscard]] RIDGE_FN Index count() const {
    return moves_some && home.size == 0 ? some.size : position[0].size;
  }
};

/// What each kind's module offers under Motion<T>, for float and double: in queue order.
template <class T>
using MoveBodies = void(Queue& queue, const Motion<T>& motion);

} // namespace ridge::pairs
