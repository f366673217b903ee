// `ridge count --from`: what a profiler wrote of a launch, beside the least that it must move.
#pragma once

#include "kernel_options.hpp"

#include <string>

namespace ridge::app {

struct ProfileOptions {
  std::string from;      ///< the profiler's file; empty: the launch is counted here
  std::string kernel;    ///< its name in the profile, or a part of it
  double least_read = 0; ///< bytes; 0: those of the KERNEL, where one is named
  double least_written = 0;

  void add_to(const Command& command);
};

/// Prints counters of a profile: mean bytes of a launch, fetch efficiency, hit rate, and with times
/// the bandwidth of the least bytes. Throws UsageError for files that are no profile, and for
/// kernels whose least bytes nobody knows.
void print_profile(const ProfileOptions& options, const KernelOptions& launch, bool json);

} // namespace ridge::app
