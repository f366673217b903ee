#include "starts.hpp"

#include <ridge/core/random.hpp>

#include "core/refuse.hpp"

#include <cmath>
#include <numbers>

namespace ridge::nbody {

namespace {

/// Numbers in (0, 1) that are a function of the seed, the body and how many it drew before.
class Draws {
public:
  Draws(std::uint64_t seed, Index body)
      : seed_(mix_bits(seed)), at_(static_cast<std::uint64_t>(body) << 16) {}

  double next() {
    const std::uint64_t bits = mix_bits(seed_ ^ mix_bits(at_++));
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  }

private:
  std::uint64_t seed_, at_;
};

/// A vector of this length in a random direction.
std::array<double, 3> anywhere(Draws& draws, double length) {
  const double z = 2 * draws.next() - 1;
  const double around = 2 * std::numbers::pi * draws.next();
  const double across = std::sqrt(1 - z * z);
  return {length * across * std::cos(around), length * across * std::sin(around), length * z};
}

Bodies of_equal_mass(Index count) {
  refuse_if(count < 1, "{} bodies: at least 1 is needed", count);
  refuse_if(count > most_made, "{} bodies: at most {} are made", count, most_made);
  Bodies bodies;
  bodies.resize(count);
  for (double& m : bodies.mass)
    m = 1 / static_cast<double>(count);
  return bodies;
}

void set(std::array<std::vector<double>, 3>& values, Index i, const std::array<double, 3>& to) {
  for (std::size_t c = 0; c < 3; ++c)
    values[c][static_cast<std::size_t>(i)] = to[c];
}

} // namespace

Bodies plummer(Index count, std::uint64_t seed) {
  // In units in which the scale radius is 1; then to those in which the energy is -1/4.
  constexpr double scale = 3 * std::numbers::pi / 16;
  constexpr double mass_kept = 0.999;
  const double speed_scale = 1 / std::sqrt(scale);
  Bodies bodies = of_equal_mass(count);
  for (Index i = 0; i < count; ++i) {
    Draws draws(seed, i);
    const double enclosed = mass_kept * draws.next();
    const double r = 1 / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1);
    set(bodies.position, i, anywhere(draws, scale * r));
    // The speed relative to that of escape has the density q^2 (1 - q^2)^(7/2), below 0.1.
    double q = 0;
    double y = 0;
    do {
      q = draws.next();
      y = 0.1 * draws.next();
    } while (y > q * q * std::pow(1 - q * q, 3.5));
    const double escape = std::sqrt(2.0) * std::pow(1 + r * r, -0.25);
    set(bodies.velocity, i, anywhere(draws, speed_scale * q * escape));
  }
  centre(bodies);
  return bodies;
}

Bodies cold_collapse(Index count, std::uint64_t seed) {
  Bodies bodies = of_equal_mass(count);
  for (Index i = 0; i < count; ++i) {
    Draws draws(seed, i);
    const double r = std::cbrt(draws.next());
    set(bodies.position, i, anywhere(draws, r));
  }
  centre(bodies);
  return bodies;
}

} // namespace ridge::nbody
