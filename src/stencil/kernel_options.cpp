#include <ridge/pattern/kernel_option.hpp>
#include <ridge/pattern/pattern_row.hpp>

namespace ridge::stencil {

const PatternAnnounced stencil_row({"stencil", 1, true});
const PatternAnnounced sweeps_row({"sweeps", 2});

constexpr const char* one_launch =
    "--steps and --boundary are for heat and waves; {} is one launch";

const KernelOptionsOf kernel_options(
    "sweeps",
    {{"--steps", std::optional<Index>(), "steps of a launch of heat and waves; 16 if not given",
      KernelOption::bench, one_launch},
     {"--boundary", std::optional<std::string>(),
      "of heat and waves, such as x=periodic,y=dirichlet:0,z=neumann:0; untouched if not given",
      KernelOption::bench, one_launch}});

} // namespace ridge::stencil
