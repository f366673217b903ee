// Cases of the chain pattern: streaming operations.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>

#include <memory>

namespace ridge::lab {

/// A chain of `request.operations` streaming operations over as many items as the size has. Throws
/// UsageError for precisions and lengths that there are not.
[[nodiscard]] std::unique_ptr<Case> stream_case(const BenchRequest& request);

void add_chain_kernels(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
