// Stencils that evolve, with their types put away: for data of the user's own and for benchmarks.
#pragma once

#include <ridge/core/spacing.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/stencil/evolution.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::stencil {
struct CheckedEvolution;
} // namespace ridge::stencil

namespace ridge::lab {

using stencil::Evolution, stencil::evolution, stencil::knows_dt, stencil::stored_evolution;

/// A request to a built-in kernel.
struct EvolutionRequest {
  std::string kernel; ///< one of evolving_kernels
  int rank = 3;
  int element_bytes = 8;
  Spacing spacing;
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

/// Benchmarks of many sweeps: one launch is so many steps. `make` gives the kernel for fields of a
/// size in fp64 or fp32, and throws UsageError for numbers of dimensions that it does not have.
[[nodiscard]] BenchKernel
bench_evolution(const std::string& name, const std::string& meaning, const Extents& default_size,
                stencil::CheckedEvolution (*make)(const Extents& size, std::string_view precision));

/// The largest stable step. Throws UsageError for an unknown kernel, a rank that it does not have,
/// or a value that is not positive and finite.
[[nodiscard]] double stable_step(const EvolutionRequest& request);

/// The kernel with a step of `dt`.
[[nodiscard]] Evolution make_evolution(const EvolutionRequest& request, double dt);

} // namespace ridge::lab
