// Benchmarks: built-in kernels, timed under schedules, checked against the reference.
#pragma once

#include <ridge/lab/arrays.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/record/record.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace ridge::lab {

using ridge::AskedSchedule, ridge::BenchKernel, ridge::BenchRequest, ridge::Case, ridge::MakeCase,
    ridge::RoofSource, ridge::SystemArray, ridge::World;

/// Runs what is asked and hands over a record for each schedule as soon as it is done. Over ranks
/// it is collective, and the record is the same on all of them. Throws UsageError for ranks where
/// the kernel runs on one only.
void run_kernel(const BenchKernel& kernel, const BenchRequest& request, RoofSource& roof,
                const std::function<void(const Record&)>& on_record);

/// A kernel on arrays of somebody else's, which are checked against each other. Throws UsageError
/// for arrays that the kernel does not take, and for kernels that take none.
[[nodiscard]] std::unique_ptr<Case> case_on_arrays(const BenchKernel& kernel, Queue& queue,
                                                   RoofSource& roof, const Arguments& arguments);

/// All of them, in the order of help texts and tables.
[[nodiscard]] const std::vector<BenchKernel>& bench_kernels();

/// Throws UsageError that lists the kernels.
[[nodiscard]] const BenchKernel& find_bench_kernel(std::string_view name);

} // namespace ridge::lab
