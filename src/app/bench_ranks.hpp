// `ridge bench` over ranks.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lab/bench.hpp>

namespace ridge::app {

/// Runs the kernel on all ranks of the request's world and prints its record. Throws Failure when
/// the check fails.
void bench_over_ranks(const lab::BenchKernel& kernel, const lab::BenchRequest& request, bool json);

} // namespace ridge::app
