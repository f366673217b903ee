// Bodies on the host, and what they must be for a run to make sense.
#pragma once

#include <ridge/core/extents.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace ridge::spatial {

/// What components are stored as and computed in; see ridge/pairs/precision.hpp.
enum class Precision { fp32, fp64, mixed };

[[nodiscard]] std::string_view to_text(Precision precision);
/// Throws UsageError that lists the precisions.
[[nodiscard]] Precision parse_precision(std::string_view text);

/// Positions and velocities, x, y and z apart, and masses: one value a body each.
struct Bodies {
  std::array<double, 3> origin{}; ///< what positions are relative to
  std::array<std::vector<double>, 3> position, velocity;
  std::vector<double> mass;

  [[nodiscard]] Index count() const { return static_cast<Index>(mass.size()); }
  /// Calls `visit(values, name)` for x, y, z, vx, vy, vz, m.
  template <class Visitor>
  void for_each(Visitor&& visit) {
    for_each_of(*this, visit);
  }
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for_each_of(*this, visit);
  }
  /// Room for so many bodies.
  void resize(Index count);

private:
  template <class Self, class Visitor>
  static void for_each_of(Self& self, Visitor& visit) {
    constexpr std::array<const char*, 7> names{"x", "y", "z", "vx", "vy", "vz", "m"};
    for (std::size_t c = 0; c < 3; ++c)
      visit(self.position[c], names[c]);
    for (std::size_t c = 0; c < 3; ++c)
      visit(self.velocity[c], names[3 + c]);
    visit(self.mass, names[6]);
  }
};

/// A value as this precision holds it.
[[nodiscard]] double rounded(double value, Precision precision);

/// Throws UsageError unless there are bodies, each has one value of each component, and all are
/// finite in `precision`; names component and body.
void require_finite(const Bodies& bodies, Precision precision);

} // namespace ridge::spatial
