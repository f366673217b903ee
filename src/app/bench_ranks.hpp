// `ridge bench` over ranks.
#pragma once

#include <ridge/lab/rank_case.hpp>

namespace ridge::app {

/// Runs the kernel on all ranks and prints its record. Throws Failure when the check fails.
void bench_over_ranks(const lab::BenchKernel& kernel, const lab::BenchRequest& request,
                      const lab::RankRequest& asked, comm::Communicator& ranks, bool json);

} // namespace ridge::app
