// A kernel in a source file of the user's own: FILE.hpp:Name.
//
// The file is compiled once for the host, to learn what the kernel is: its pattern, footprint or
// components, and how to check it; and for each device and schedule when it is launched there. What
// the host compilation generates includes ridge/lab/describe_kernel.hpp and offers a UserKernel.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/evolution.hpp>
#include <ridge/lab/stencil_job.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::lab {

/// A number for a member of the functor: `--set rate=0.1`.
struct Setting {
  std::string member;
  double value = 0;
};
/// Reads "rate=0.1". Throws UsageError for anything that is no such assignment.
[[nodiscard]] Setting parse_setting(std::string_view text);

/// A kernel that was found in a file.
struct UserKernel {
  BenchKernel bench;
  /// Stencils of one input: for `ridge apply`, by the bytes of a number; empty for others, and
  /// `no_job` says why.
  std::function<StencilJob(int element_bytes)> job;
  std::string no_job;
  /// Stencils: for `ridge evolve`, by the bytes of a number, with the functor's member `dt` set
  /// where one is given: throws UsageError where it has none. Empty for others.
  std::function<Evolution(int element_bytes, std::optional<double> dt)> evolution;
};

/// Whether a kernel's name means one in a file: "heat.hpp:Heat".
[[nodiscard]] bool names_a_file(std::string_view kernel);

/// Compiles the file's description, or takes it from the cache. Throws UsageError for a file that
/// is not there, has no such functor, does not compile (at the user's line), a functor that is no
/// kernel of any pattern, or a member that it does not have.
[[nodiscard]] UserKernel load_user_kernel(std::string_view kernel,
                                          const std::vector<Setting>& settings = {});

} // namespace ridge::lab
