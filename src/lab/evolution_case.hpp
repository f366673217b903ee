// Benchmarks of many sweeps: one launch is so many steps.
#pragma once

#include <ridge/lab/bench.hpp>

#include <vector>

namespace ridge::lab {

/// Adds heat and waves of every order.
void add_evolving_kernels(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
