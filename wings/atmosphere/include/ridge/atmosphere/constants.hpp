// Constants of the mini-atmosphere.
#pragma once

namespace ridge::atmosphere {

inline constexpr double gravity = 9.8; ///< m/s^2
inline constexpr double cp = 1004;     ///< specific heat of dry air, J/kg/K
inline constexpr double cv = 717;
inline constexpr double gas = 287;
inline constexpr double p0 = 1e5; ///< Pa
inline constexpr double c0 = 27.5629410929725921310572974482;
inline constexpr double exponent = 1.40027894002789400278940027894; ///< p = c0 (rho theta)^exponent
inline constexpr double theta0 = 300;                               ///< K
inline constexpr double diffusion = 0.05;
inline constexpr double fastest = 450; ///< speed of sound and more, m/s

} // namespace ridge::atmosphere
