// Units of a tree in fp32: moments are divided by up to the seventh power of a distance, and all of
// them, with the masses, have to be numbers of fp32 wherever the bodies are.
#include <ridge/core/error.hpp>
#include <ridge/pairs/tree.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::pairs {

namespace {

// Binary exponents. Seventh powers are right from least_far_distance on and up to 2^17.
constexpr int of_size = 14;       // of the cube of all bodies, or of a softening that is larger
constexpr int least_size = 8;     // below it another unit is taken
constexpr int most_size = 16;     // beyond it, too
constexpr int of_softening = -40; // at least: its third power is a number of fp32
constexpr int most_spread = 25;   // of the size: fifth powers are right
constexpr int of_mass = -7;       // of the largest mass: 2^31 of them are no more than 2^25
constexpr int most_unit = 100;    // so that units are numbers of fp32

int exponent_of(double x) {
  return std::clamp(std::ilogb(x), -1000, 1000);
}

/// The power of four that brings what has exponent `of` to `to` or just below.
int even_step(int of, int to) {
  const int step = to - of;
  return step - (step & 1);
}

} // namespace

/// The largest mass of this rank's bodies. Moments of masses of both signs would be taken about a
/// centre that may lie anywhere.
template <class P>
double Tree<P>::largest_mass() {
  constexpr Index at_once = Index{1} << 20;
  const Span<const Stored> masses = octree_.parts().bodies[3];
  std::vector<Stored> host(static_cast<std::size_t>(std::min(masses.size, at_once)));
  double largest = 0;
  for (Index from = 0; from < masses.size; from += at_once) {
    const Index count = std::min(at_once, masses.size - from);
    copy_to_host(queue_, host.data(), masses.data + from, count);
    queue_.wait();
    for (Index i = 0; i < count; ++i) {
      const auto mass = static_cast<double>(host[static_cast<std::size_t>(i)]);
      if (!(mass >= 0) || !std::isfinite(mass)) {
        throw UsageError(fmt::format("the mass of body {} is {:g}; masses must be finite and not "
                                     "negative (bodies count from 0)",
                                     from + i, mass));
      }
      largest = std::max(largest, mass);
    }
  }
  return largest;
}

template <class P>
spatial::ChooseUnits Tree<P>::choose_units() {
  return [this](std::array<double, 3> low, std::array<double, 3> high) {
    spatial::Units units;
    if (!essential_ || !greatest_mass_) greatest_mass_ = largest_mass();
    if (essential_) {
      comm::Communicator& ranks = essential_->ranks();
      units.origin.emplace();
      for (std::size_t c = 0; c < 3; ++c) {
        low[c] = -ranks.greatest(-low[c]);
        high[c] = ranks.greatest(high[c]);
        (*units.origin)[c] =
            spatial::origin_between(static_cast<Stored>(low[c]), static_cast<Stored>(high[c]));
      }
      greatest_mass_ = ranks.greatest(*greatest_mass_);
    }
    if (sizeof(typename P::Computed) == 8) return units;
    const double mass = *greatest_mass_;
    double side = 0;
    for (std::size_t c = 0; c < 3; ++c)
      side = std::max(side, high[c] - low[c]);
    if (mass > 0)
      units.mass = std::ldexp(1.0, std::clamp(of_mass - exponent_of(mass), -most_unit, most_unit));
    const double size = std::max(side, options_.softening);
    if (size == 0) return units;
    int unit = even_step(exponent_of(size), of_size);
    if (options_.softening > 0)
      unit = std::max(unit, even_step(exponent_of(options_.softening), of_softening + 1));
    unit = std::clamp(unit, -most_unit, most_unit);
    if (exponent_of(size) + unit > most_spread) {
      throw UsageError(
          fmt::format("bodies are {:g} apart, with a softening of {:g}: powers of such "
                      "distances are no numbers of fp32; fp64 has them",
                      side, options_.softening));
    }
    units.length = std::ldexp(1.0, unit);
    // Ranks have one unit, which they choose together.
    if (essential_) return units;
    const double most = std::max(std::ldexp(1.0, most_size - unit), 4 * size);
    if (most < static_cast<double>(std::numeric_limits<Stored>::max())) units.most_side = most;
    if (side > 2 * options_.softening)
      units.least_side = std::min(std::ldexp(1.0, least_size - unit), side / 4);
    return units;
  };
}

template double Tree<Fp32>::largest_mass();
template double Tree<Fp64>::largest_mass();
template double Tree<Mixed>::largest_mass();
template spatial::ChooseUnits Tree<Fp32>::choose_units();
template spatial::ChooseUnits Tree<Fp64>::choose_units();
template spatial::ChooseUnits Tree<Mixed>::choose_units();

} // namespace ridge::pairs
