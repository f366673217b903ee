// Random fields, from host code.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/lattice/field.hpp>

#include <cstdint>

namespace ridge::lattice {

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

/// The function that kernel sources offer under the type of the call.
template <class T>
using RandomFill = void(Queue& queue, const RandomCall<T>& call);

template <class T>
void fill_random(Queue& queue, const RandomCall<T>& call);

/// Fills with random numbers that do not depend on device, layout or schedule: uniform in [-1, 1),
/// multiples of 2^-23; or of mean 0 and variance 1, the sum of twelve uniform numbers in
/// [-1/2, 1/2), nearly normal and exact everywhere.
template <class Site>
void fill_random(Queue& queue, Field<Site>& z, std::uint64_t seed,
                 Distribution distribution = Distribution::uniform) {
  fill_random<RealOf<Site>>(queue, {z.shape(), z.geometry(), z.reals(), seed, distribution});
}

} // namespace ridge::lattice
