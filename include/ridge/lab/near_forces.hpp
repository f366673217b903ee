// Forces of an interaction within a cutoff, its type put away: what molecular dynamics runs.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/pairs/lists/forces.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include <functional>
#include <optional>
#include <string>

namespace ridge::lab {

/// Bodies of stored type T, their lists, and where sums over them go. Energies: twice the potential
/// energy and twice the virial of each body's share.
template <class T>
struct NearBodies {
  Queue& queue;
  const pairs::Lists<T>& lists;
  std::array<Span<T>, 3> forces;
  std::array<Span<T>, 2> energies;
};

struct NearForces {
  Program force, energy;
};

/// An interaction of positions that gives a force.
struct NearInteraction {
  std::string name;
  bool has_energy = false; ///< beside the force
  std::function<NearForces(const NearBodies<float>&, pairs::ListSchedule)> single; ///< fp32
  /// fp64, or mixed: computed in fp32.
  std::function<NearForces(const NearBodies<double>&, pairs::ListSchedule, bool mixed)> twice;
};

namespace detail {
template <class P, class I, class T>
[[nodiscard]] NearForces bind_forces(const std::string& name, I interaction,
                                     const NearBodies<T>& bodies,
                                     const pairs::ListSchedule& schedule) {
  if constexpr (pairs::cuts_itself<I>) {
    using Number = std::remove_cvref_t<decltype(interaction.cutoff_squared)>;
    const double cutoff = bodies.lists.options().cutoff;
    interaction.cutoff_squared = static_cast<Number>(cutoff * cutoff);
  }
  const auto& at = bodies.lists.positions();
  const auto force = pairs::among_themselves<pairs::ForceOf<I>, P>(
      pairs::part_of<pairs::ForceOf>(interaction), at, bodies.forces);
  const auto energy = pairs::among_themselves<pairs::EnergyOf<I>, P>(
      pairs::part_of<pairs::EnergyOf>(interaction), at, bodies.energies);
  return {Program(bodies.queue, pairs::within(bodies.lists, force), schedule, name),
          Program(bodies.queue, pairs::within(bodies.lists, energy), schedule, name)};
}
} // namespace detail

/// Whether an interaction is a force between positions.
template <class I>
inline constexpr bool gives_forces = I::targets == 3 && I::sources == 3 && I::sums >= 3;

template <class I>
[[nodiscard]] NearInteraction near_interaction(const std::string& name, const I& interaction) {
  return {name, (I::sums > 3),
          [=](const NearBodies<float>& bodies, const pairs::ListSchedule& schedule) {
            return detail::bind_forces<pairs::Fp32>(name, interaction, bodies, schedule);
          },
          [=](const NearBodies<double>& bodies, const pairs::ListSchedule& schedule, bool mixed) {
            if (mixed)
              return detail::bind_forces<pairs::Mixed>(name, interaction, bodies, schedule);
            return detail::bind_forces<pairs::Fp64>(name, interaction, bodies, schedule);
          }};
}

} // namespace ridge::lab
