// The built-in kernels, with their types put away: what the headers of ridge/lab/kernels say of
// them.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ridge::lab {

/// The kernels of one header, or of all of them.
struct BuiltIn {
  std::vector<BenchKernel> kernels;
  std::vector<EvolvingKernel> evolving;
  std::vector<std::string> evolving_otherwise = {}; ///< names: what a wing evolves
};

/// Announces a header from a static initialiser; `describe` is asked when kernels are looked for.
class AnnouncedKernels {
public:
  explicit AnnouncedKernels(BuiltIn (*describe)());
};

/// The built-in kernel of that name that takes one input. Throws UsageError that lists them.
[[nodiscard]] const BenchKernel& find_one_input_kernel(std::string_view kernel);

/// The names of what evolves and is no stencil, in the order of the headers' names.
[[nodiscard]] const std::vector<std::string>& names_evolving_otherwise();

/// Adds those of headers, in the order of the headers' names.
void add_built_in(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
