// Forces of an interaction within a cutoff, its type put away: what molecular dynamics runs.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/pairs/lists/forces.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include <functional>
#include <optional>
#include <string>

namespace ridge::pairs {

/// Bodies of stored type T, their lists, and where sums over them go. Energies: twice the potential
/// energy and twice the virial of each body's share.
template <class T>
struct NearBodies {
  Queue& queue;
  const Lists<T>& lists;
  std::array<Span<T>, 3> forces;
  std::array<Span<T>, 2> energies;
};

struct NearForces {
  Program force, energy;
};

/// An interaction of positions that gives a force.
struct NearInteraction {
  std::string name;
  bool has_energy = false;                                                  ///< beside the force
  std::function<NearForces(const NearBodies<float>&, ListSchedule)> single; ///< fp32
  /// fp64, or mixed: computed in fp32.
  std::function<NearForces(const NearBodies<double>&, ListSchedule, bool mixed)> twice;
};

/// The interaction with this cutoff, where it has one of its own.
template <class I>
[[nodiscard]] I with_cutoff(I interaction, double cutoff) {
  if constexpr (cuts_itself<I>) {
    using Number = std::remove_cvref_t<decltype(interaction.cutoff_squared)>;
    interaction.cutoff_squared = static_cast<Number>(cutoff * cutoff);
  }
  return interaction;
}

namespace detail {
template <class P, class I, class T>
[[nodiscard]] NearForces bind_forces(const std::string& name, const I& given,
                                     const NearBodies<T>& bodies, const ListSchedule& schedule) {
  const I interaction = with_cutoff(given, bodies.lists.options().cutoff);
  const auto& at = bodies.lists.positions();
  const auto force =
      among_themselves<ForceOf<I>, P>(part_of<ForceOf>(interaction), at, bodies.forces);
  const auto energy =
      among_themselves<EnergyOf<I>, P>(part_of<EnergyOf>(interaction), at, bodies.energies);
  return {Program(bodies.queue, within(bodies.lists, force), schedule, name),
          Program(bodies.queue, within(bodies.lists, energy), schedule, name)};
}
} // namespace detail

/// Whether an interaction is a force between positions.
template <class I>
inline constexpr bool gives_forces = I::targets == 3 && I::sources == 3 && I::sums >= 3;

template <class I>
[[nodiscard]] NearInteraction near_interaction(const std::string& name, const I& interaction) {
  return {name, (I::sums > 3),
          [=](const NearBodies<float>& bodies, const ListSchedule& schedule) {
            return detail::bind_forces<Fp32>(name, interaction, bodies, schedule);
          },
          [=](const NearBodies<double>& bodies, const ListSchedule& schedule, bool mixed) {
            if (mixed) return detail::bind_forces<Mixed>(name, interaction, bodies, schedule);
            return detail::bind_forces<Fp64>(name, interaction, bodies, schedule);
          }};
}

} // namespace ridge::pairs
