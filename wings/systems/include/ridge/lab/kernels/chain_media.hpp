// Fields that built-in systems refuse to begin with. Their own headers, which the
// compilers of all device kinds see, do without it.
#pragma once

#include <ridge/chain/system/kernel.hpp>

namespace ridge::lab {

/// As SystemKernel::problem_at, for a system whose fields are called as those of built-in ones: a
/// density `rho` means the same in all of them. Where `solid` is above 1/2, nothing else counts.
[[nodiscard]] std::function<chain::FieldProblem(const double* given)>
medium_problem(const chain::SystemKernel& kernel);

} // namespace ridge::lab
