// Stencils that evolve, with their types put away: for data of the user's own and for benchmarks.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/sweeps.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
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
  const std::type_info* call = nullptr; ///< of a launch of the kernel
  std::vector<std::byte> functor = {};  ///< the kernel's bytes
};

/// Whether K has a member `dt` to set.
template <class K>
inline constexpr bool knows_dt = requires(K kernel) {
  kernel.dt = 1.0;
};

/// A kernel without what it says of itself beside its mathematics.
template <class T>
[[nodiscard]] Evolution evolution_of(std::string_view name,
                                     std::shared_ptr<const stencil::SweptKernel<T>> kernel);
extern template Evolution evolution_of(std::string_view,
                                       std::shared_ptr<const stencil::SweptKernel<float>>);
extern template Evolution evolution_of(std::string_view,
                                       std::shared_ptr<const stencil::SweptKernel<double>>);

template <class K, class T>
[[nodiscard]] Evolution evolution(std::string_view name, const K& kernel) {
  Evolution made = evolution_of<T>(name, stencil::swept<T>(kernel));
  made.call = &typeid(stencil::Call<K, T>);
  const auto bytes = std::as_bytes(std::span(&kernel, 1));
  made.functor.assign(bytes.begin(), bytes.end());
  if constexpr (requires { kernel.stable_step(); }) made.stable_step = kernel.stable_step();
  if constexpr (knows_dt<K>) made.dt = kernel.dt;
  return made;
}

/// An evolution on fields of Fp16 or Bf16, by "fp16" or "bf16", its mathematics in fp32: what
/// describes it is compiled. Its sweeps take pointers to such numbers. Throws UsageError where
/// nobody said where its source is, and as launch::load_description does.
[[nodiscard]] Evolution stored_evolution(const Evolution& fp32, std::string_view storage);

/// A request to a built-in kernel.
struct EvolutionRequest {
  std::string kernel; ///< one of evolving_kernels
  int rank = 3;
  int element_bytes = 8;
  stencil::Spacing spacing;
  double value = 1;       ///< what EvolvingKernel::value says
  bool absorbing = false; ///< of one that absorbs: another field holds the friction
};

/// A built-in kernel that evolves, with its type put away.
struct EvolvingKernel {
  std::string_view name, meaning;
  std::string_view value; ///< what EvolutionRequest::value is of it: "diffusivity", "speed", ...
  bool absorbs = false;   ///< layers that absorb are known of it
  /// Throw UsageError for ranks that it does not have; free of other checks.
  double (*stable_step)(const EvolutionRequest&) = nullptr;
  Evolution (*make)(const EvolutionRequest&, double dt) = nullptr;
  /// Gives the level before a start at rest, in one sweep; null where there is none.
  Evolution (*at_rest)(const EvolutionRequest&, double dt) = nullptr;
  std::optional<BenchKernel> bench = {}; ///< of many sweeps
};
/// All of them, in the order of their headers' names.
[[nodiscard]] const std::vector<EvolvingKernel>& evolving_kernels();
/// Throws UsageError that lists the kernels when there is none of this name.
[[nodiscard]] const EvolvingKernel& find_evolving_kernel(std::string_view name);

/// The largest stable step. Throws UsageError for an unknown kernel, a rank that it does not have,
/// or a value that is not positive and finite.
[[nodiscard]] double stable_step(const EvolutionRequest& request);

/// The kernel with a step of `dt`.
[[nodiscard]] Evolution make_evolution(const EvolutionRequest& request, double dt);

} // namespace ridge::lab
