// What a run must conserve.
#pragma once

#include "bodies.hpp"

namespace ridge::nbody {

/// Sums over all bodies, in double.
struct Diagnostics {
  double kinetic = 0;
  double potential = 0; ///< each pair once
  std::array<double, 3> momentum{}, angular_momentum{};

  [[nodiscard]] double energy() const { return kinetic + potential; }
};

/// `potential` is that at each body, of all others; `lack` what it is short of on average, weighted
/// by mass.
[[nodiscard]] Diagnostics diagnose(const Bodies& bodies, const std::vector<double>& potential,
                                   double lack = 0);

/// Change of energy since `start`, relative to the energy then; to the kinetic and potential
/// energies' absolute sum where that is 0.
[[nodiscard]] double energy_error(const Diagnostics& start, const Diagnostics& now);

/// Length of a vector.
[[nodiscard]] double length(const std::array<double, 3>& v);

/// The first body whose position, velocity or potential is not finite; -1 when there is none.
[[nodiscard]] Index first_lost(const Bodies& bodies, const std::vector<double>& potential);

} // namespace ridge::nbody
