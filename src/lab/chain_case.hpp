// Cases of the chain pattern: streaming operations.
#pragma once

#include <ridge/chain/description.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>

#include <memory>

namespace ridge::lab {

/// Schedules of a chain that `asked` means, as text. On GPUs `all` also has fission as one graph.
[[nodiscard]] std::vector<AskedSchedule> chain_schedules(const std::string& asked,
                                                         const Device& device,
                                                         const chain::Description& chain,
                                                         Index3 extents);

/// A chain of `request.operations` streaming operations over as many items as the size has. Throws
/// UsageError for precisions and lengths that there are not.
[[nodiscard]] std::unique_ptr<Case> stream_case(const BenchRequest& request);

void add_chain_kernels(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
