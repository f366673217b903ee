// Sums over bodies in whole numbers, which have the same bits in any order and on any number of
// ranks; and thermostats' changes of velocities.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/device/view.hpp>

#include <array>
#include <cstdint>

namespace ridge::md {

/// All bodies, or some of them: those that a rank moves.
struct Some {
  Index all = 0;
  bool is_part = false;
  Span<const unsigned> part = {};

  [[nodiscard]] RIDGE_FN Index count() const { return is_part ? part.size : all; }
};

/// The end of a step's kick, and the thermostat's change of velocities (thermostat.hpp).
template <class T>
struct Langevin {
  std::array<Span<T>, 3> velocity;
  std::array<Span<const T>, 3> force;
  Some bodies;
  T kick = 0; ///< velocity += force * kick, first
  bool draws = true;
  double kept = 1, noise = 0; ///< velocity becomes kept * velocity + noise * R
  std::uint64_t seed = 1;
  Index step = 0; ///< the cpu
  /// GPUs: pairs::ListHalt, whose moves count steps from begin[0] on, at begin[1] of them.
  Span<unsigned> halt = {};
  Span<const Index> begin = {};
};

/// Function that each kind's module offers under Langevin<T>, for float and double: in queue order.
template <class T>
using LangevinKick = void(Queue& queue, const Langevin<T>& kick);

/// velocity *= factor.
template <class T>
struct Rescaling {
  std::array<Span<T>, 3> velocity;
  Some bodies;
  T factor = 1;
};

/// Function that each kind's module offers under Rescaling<T>, for float and double: in queue
/// order.
template <class T>
using Rescale = void(Queue& queue, const Rescaling<T>& rescaling);

/// Sums of each body's v . v and, with those of an origin, v . v0, (x - x0)^2, x - x0 and v, times
/// the scales and rounded.
template <class T>
struct BodySums {
  std::array<Span<const T>, 3> position, velocity;
  std::array<Span<const int>, 3> images;
  std::array<double, 3> period{};
  std::array<Span<const double>, 3> origin_position, origin_velocity; ///< empty: of v . v alone
  static constexpr int count = 9;
  std::array<double, 5> scale{};
  double most = 0; ///< a body's numbers are cut there
  Some bodies;
  Span<Index> sums; ///< `count` of each part of the bodies
};

/// Function that each kind's module offers under BodySums<T>, for float and double: in queue order.
template <class T>
using SumBodies = void(Queue& queue, const BodySums<T>& sums);

/// Bodies within distances of each other that are counted in one pass.
inline constexpr int shells_together = 8;

/// Sums of each body's counts.
template <class T>
struct CountSums {
  std::array<Span<const T>, shells_together> counts;
  Some bodies;
  Span<Index> sums; ///< as many of each part of the bodies
};

/// Function that each kind's module offers under CountSums<T>, for float and double: in queue
/// order.
template <class T>
using SumCounts = void(Queue& queue, const CountSums<T>& sums);

} // namespace ridge::md
