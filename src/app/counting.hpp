// Counting what one launch moves: on the cpu in this process, on a GPU under ncu, rocprofv3 or
// rocprof, which run this command once more.
#pragma once

#include <ridge/pattern/case.hpp>

#include "kernel_options.hpp"

namespace ridge::app {

/// The options, with the schedule and the size they stand for. Throws Failure with the reason where
/// nothing can be counted here, and what to set or install.
[[nodiscard]] Counters count_launch(const KernelOptions& launch);

/// The report of ncu, run on this command once more, with these metrics of the launch. Throws
/// Failure where there is no ncu.
[[nodiscard]] std::string ncu_report_of(const KernelOptions& launch, const std::string& metrics);

/// The same of a case that is at hand; other devices than the cpu need one of their own.
[[nodiscard]] Counters count_on_cpu(lab::Case& the_case, const lab::AskedSchedule& schedule);

/// What is counted of the launches of a kernel, or else modelled: why is said once, on stderr.
class Counting {
public:
  explicit Counting(lab::BenchKernel kernel) : kernel_(std::move(kernel)) {}
  /// Nothing where there is no model either.
  [[nodiscard]] std::optional<Counters> of(const KernelOptions& launch);

private:
  lab::BenchKernel kernel_;
  bool counts_ = true;
};

/// The part under a profiler: runs the launch once outside what is counted and once inside.
void run_counted(const KernelOptions& launch);

} // namespace ridge::app
