// Symplectic integrators made of leapfrog steps.
#pragma once

#include <span>
#include <string_view>

namespace ridge::nbody {

/// `leapfrog`: kick, drift, kick, of second order. `yoshida4`: three leapfrogs, of fourth order (H.
/// Yoshida, Physics Letters A 150 (1990) 262).
enum class Integrator { leapfrog, yoshida4 };

[[nodiscard]] std::string_view to_text(Integrator integrator);
/// Throws UsageError that lists the integrators.
[[nodiscard]] Integrator parse_integrator(std::string_view text);
inline void from_text(std::string_view text, Integrator& to) {
  to = parse_integrator(text);
}

/// The leapfrogs of one step, as fractions of it; each evaluates the forces once.
[[nodiscard]] std::span<const double> leapfrogs(Integrator integrator);

} // namespace ridge::nbody
