#include "snapshot.hpp"

#include <ridge/core/random.hpp>

#include <bit>

namespace ridge::nbody {

std::uint64_t checksum(std::uint64_t run, const Parameters& p, Index step, const Bodies& bodies,
                       const Accelerations& acceleration, const TreeState& tree) {
  std::uint64_t hash = mix_bits(run);
  const auto add = [&](std::uint64_t bits) { hash = mix_bits(hash ^ bits); };
  add(static_cast<std::uint64_t>(p.precision));
  add(static_cast<std::uint64_t>(p.integrator));
  for (const double value : {p.dt, p.softening, p.gravity})
    add(std::bit_cast<std::uint64_t>(value));
  add(static_cast<std::uint64_t>(step));
  add(static_cast<std::uint64_t>(bodies.count()));
  if (has_own_origin(bodies)) {
    for (const double value : bodies.origin)
      add(std::bit_cast<std::uint64_t>(value));
  }
  bodies.for_each([&](const auto& values, const char*) {
    for (const double value : values)
      add(std::bit_cast<std::uint64_t>(value));
  });
  if (p.forces == Forces::tree) {
    add(std::bit_cast<std::uint64_t>(p.theta));
    add(static_cast<std::uint64_t>(p.order));
    const auto add_all = [&](const Accelerations& vectors) {
      for (const auto& values : vectors) {
        for (const double value : values)
          add(std::bit_cast<std::uint64_t>(value));
      }
    };
    add_all(acceleration);
    if (tree.age > 0) {
      add(static_cast<std::uint64_t>(tree.age));
      add(std::bit_cast<std::uint64_t>(tree.cost));
      add_all(tree.at);
    }
  }
  return hash;
}

} // namespace ridge::nbody
