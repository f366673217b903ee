// Shifts of whole fields and random fields: number by number, without site types.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/lattice/reduce_call.hpp>

#include <cstdint>

namespace ridge::lattice {

/// z(site) = x(site `by` further along `dimension`), around the lattice; z is not x.
template <class T>
struct ShiftCall {
  SiteShape shape;
  Geometry geometry;
  Span<const T> x;
  Span<T> z;
  int dimension = 0, by = 0;
};

/// Distributions of random numbers.
enum class Distribution { uniform, normal };

/// Random numbers that are a function of seed, site, component and part alone.
template <class T>
struct RandomCall {
  SiteShape shape;
  Geometry geometry;
  Span<T> z;
  std::uint64_t seed = 0;
  Distribution distribution = Distribution::uniform;
};

/// What kernel sources instantiate for each device kind.
template <class T, class Target>
struct Mover {
  static void shift(Queue& queue, const ShiftCall<T>& call);
  static void random(Queue& queue, const RandomCall<T>& call);
};

} // namespace ridge::lattice
