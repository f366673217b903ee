// Stencils that evolve, with their types put away: for data of the user's own and for benchmarks.
#pragma once

#include <ridge/lab/evolving_kernels.hpp>
#include <ridge/stencil/sweeps.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::lab {

/// A kernel that gives the next value of its first input, in one precision.
struct Evolution {
  std::string name;
  stencil::Traits traits;
  int levels = 1;
  /// Sweeps over fields on the queue's device, one an input: packed, what this rank owns of them.
  std::function<stencil::Sweeps(Queue&, const std::vector<const void*>& fields,
                                const stencil::RankPart&,
                                const std::optional<stencil::SweepsSchedule>&)>
      make;
  /// The largest stable step that the kernel itself states (`double stable_step() const`); 0 where
  /// it states none.
  double stable_step = 0;
  /// Its member `dt`, the time of a step; empty where it has none.
  std::optional<double> dt = {};
};

/// Whether K has a member `dt` to set.
template <class K>
inline constexpr bool knows_dt = requires(K kernel) {
  kernel.dt = 1.0;
};

template <class K, class T>
[[nodiscard]] Evolution evolution(std::string_view name, const K& kernel) {
  Evolution made;
  made.name = name;
  made.traits = stencil::traits_of<K, T>();
  made.levels = stencil::levels_of<K>();
  made.make = [kernel, name = made.name](Queue& queue, const std::vector<const void*>& fields,
                                         const stencil::RankPart& part,
                                         const std::optional<stencil::SweepsSchedule>& schedule) {
    std::vector<View<const T>> views;
    for (const void* const field : fields)
      views.emplace_back(static_cast<const T*>(field), part.owned().extents());
    return stencil::Sweeps(queue, kernel, views, part, schedule, name);
  };
  if constexpr (requires { kernel.stable_step(); }) made.stable_step = kernel.stable_step();
  if constexpr (knows_dt<K>) made.dt = kernel.dt;
  return made;
}

/// What a built-in kernel is asked for.
struct EvolutionRequest {
  std::string kernel; ///< heat, heat4, heat6, heat8, wave, wave4, wave6, wave8, diffusion
  int rank = 3;
  int element_bytes = 8;
  stencil::Spacing spacing;
  double value = 1;       ///< heat: the diffusivity; wave: the speed; diffusion: its largest k
  bool absorbing = false; ///< wave: a third field holds the friction (AbsorbedWave)
};

/// A built-in kernel's name and meaning.
struct EvolvingKernel {
  std::string_view name, meaning;
  std::string_view value; ///< what EvolutionRequest::value is of it
};
[[nodiscard]] const std::vector<EvolvingKernel>& evolving_kernels();
/// Throws UsageError that lists the kernels when there is none of this name.
[[nodiscard]] const EvolvingKernel& find_evolving_kernel(std::string_view name);

/// The largest stable step. Throws UsageError for an unknown kernel, a rank that is not 1 to 3, or
/// a value that is not positive and finite.
[[nodiscard]] double stable_step(const EvolutionRequest& request);

/// The kernel with a step of `dt`.
[[nodiscard]] Evolution make_evolution(const EvolutionRequest& request, double dt);

} // namespace ridge::lab
