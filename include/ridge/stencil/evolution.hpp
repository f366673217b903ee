// Stencils that evolve, with their types put away.
#pragma once

#include <ridge/stencil/sweeps.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace ridge::stencil {

/// A kernel that gives the next value of its first input, in one precision.
struct Evolution {
  std::string name;
  Traits traits;
  int levels = 1;
  /// Sweeps over fields on the queue's device, one an input: packed, what this rank owns of them.
  std::function<Sweeps(Queue&, const std::vector<const void*>& fields, const RankPart&,
                       const std::optional<SweepsSchedule>&)>
      make;
  /// The largest stable step that the kernel itself states (`double stable_step() const`); 0 where
  /// it states none.
  double stable_step = 0;
  /// Its member `dt`, the time of a step; empty where it has none.
  std::optional<double> dt = {};
  const std::type_info* call = nullptr; ///< of a launch of the kernel
  std::vector<std::byte> functor = {};  ///< the kernel's bytes
};

/// Whether K has a member `dt` to set.
template <class K>
inline constexpr bool knows_dt = requires(K kernel) { kernel.dt = 1.0; };

/// A kernel without what it says of itself beside its mathematics. T is float or double.
template <class T>
[[nodiscard]] Evolution evolution_of(std::string_view name,
                                     std::shared_ptr<const SweptKernel<T>> kernel);

template <class K, class T>
[[nodiscard]] Evolution evolution(std::string_view name, const K& kernel) {
  Evolution made = evolution_of<T>(name, swept<T>(kernel));
  made.call = &typeid(Call<K, T>);
  const auto bytes = std::as_bytes(std::span(&kernel, 1));
  made.functor.assign(bytes.begin(), bytes.end());
  if constexpr (requires { kernel.stable_step(); }) made.stable_step = kernel.stable_step();
  if constexpr (knows_dt<K>) made.dt = kernel.dt;
  return made;
}

/// An evolution on fields of 16 bits: of Fp16 by "fp16", of Bf16 by "bf16". Inputs whose bits
/// `wide` has stay fp32: its sweeps take the high halves of their numbers in place of them, and the
/// low halves behind all. Throws UsageError for another name, and as stored_swept does.
[[nodiscard]] Evolution stored_evolution(const Evolution& fp32, std::string_view storage,
                                         unsigned wide = 0);

/// Sweeps over fields of so many points, all of them here, under a boundary and a schedule as text;
/// empty: untouched. Throws as parse_boundaries, parse_sweeps and Sweeps do.
[[nodiscard]] Sweeps sweeps_alone(const Evolution& evolution, Queue& queue,
                                  const std::vector<const void*>& fields, Index3 points,
                                  std::string_view boundary, const Spacing& spacing,
                                  const std::string& schedule);

} // namespace ridge::stencil
