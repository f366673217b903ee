// What a launch over ranks takes, whole and in parts, and what ranks gain.
#pragma once

#include <ridge/lab/bench_case.hpp>

namespace ridge::lab {

/// Times what the case has bound, its exchange alone and its computation alone, and compares with
/// the ceiling of all ranks together. Collective.
void account_ranks(Record& record, Case& the_case, const BenchRequest& request, RoofSource& roof);

/// Runs the kernel on one rank alone, all of it and `share` of it, and adds the efficiencies.
/// Collective.
void add_efficiency(Record& record, const BenchKernel& kernel, const BenchRequest& request,
                    const Extents& share, RoofSource& roof);

} // namespace ridge::lab
