// The built-in kernels, with their types put away: what the headers of ridge/lab/kernels say of
// them.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/evolution.hpp>
#include <ridge/lab/stencil_job.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::lab {

/// A built-in stencil.
struct BuiltInStencil {
  BenchKernel bench;
  /// Footprints, flops and precision for a field of `rank` dimensions. Throws UsageError for
  /// precisions and ranks that it does not have.
  stencil::Traits (*traits)(std::string_view precision, int rank);
  /// It on data of the user's own; null for kernels of several inputs. Throws UsageError for a
  /// rank that it does not have, or a spacing that does not fit it or the precision.
  StencilJob (*job)(int rank, int element_bytes, stencil::Spacing spacing);
};

struct EvolvingSystem; // ridge/lab/kernels/chain_systems.hpp

/// What one header holds, or all of them.
struct BuiltIn {
  std::vector<BuiltInStencil> stencils;
  std::vector<EvolvingKernel> evolving;
  std::vector<BenchKernel> others;     ///< of other patterns
  std::vector<std::shared_ptr<const EvolvingSystem>> systems = {}; ///< of several arrays
};

/// Announces a header from a static initialiser; `describe` is asked when kernels are looked for.
class AnnouncedKernels {
public:
  explicit AnnouncedKernels(BuiltIn (*describe)());
};

/// All that were announced, in the order of their headers' names.
[[nodiscard]] const std::vector<BuiltInStencil>& built_in_stencils();

/// Whether a built-in stencil, or one that evolves, has this name.
[[nodiscard]] bool is_stencil(std::string_view kernel);

/// Footprints, flops and precision of a built-in stencil for a field of `rank` dimensions. Throws
/// UsageError for an unknown kernel, a kernel that is no stencil, a precision or a rank that it
/// does not have.
[[nodiscard]] stencil::Traits stencil_traits(std::string_view kernel, std::string_view precision,
                                             int rank);

/// The built-in stencil of one input of that name. Throws UsageError that lists them.
[[nodiscard]] const BuiltInStencil& find_one_input_stencil(std::string_view kernel);

/// Adds the stencils, and then those that evolve.
void add_stencil_kernels(std::vector<BenchKernel>& kernels);
/// Adds those of another pattern.
void add_built_in(std::vector<BenchKernel>& kernels, std::string_view pattern);

} // namespace ridge::lab
