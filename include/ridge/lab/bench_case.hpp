// The one driver of all benchmarks.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>

namespace ridge::lab {

/// Runs a case under each schedule of the request: results poisoned, one launch, its check, its
/// timing and the ceiling. Hands over each record as soon as it is done.
void bench_case(Case& the_case, const BenchRequest& request, RoofSource& roof,
                const std::function<void(const Record&)>& on_record);

} // namespace ridge::lab
