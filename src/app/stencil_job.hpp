// The kernels of `ridge apply`, with their types put away: what they need to know and do.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/schedule.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace ridge::app {

/// A stencil kernel of one input for one rank, precision and spacing. `in` and `out` are packed
/// fields of that precision on the queue's device.
struct StencilJob {
  std::string name;
  stencil::Traits traits;
  /// Gives one launch to the queue; returns its record, untimed.
  std::function<Record(Queue&, const void* in, void* out, Index3, const stencil::Schedule&)> launch;
  /// Compares with the reference; the points near the edge must hold bytes 0xff.
  std::function<Check(Queue&, const void* in, void* out, Index3)> check;
};

/// Throws UsageError for an unknown kernel, a rank it does not have, or a spacing that does not fit
/// it or the precision.
[[nodiscard]] StencilJob make_stencil_job(std::string_view kernel, int rank, int element_bytes,
                                          stencil::Spacing spacing);

/// Throws UsageError that lists the kernels when there is none of this name.
void require_stencil_kernel(std::string_view kernel);

/// The kernels and what they compute, one a line.
[[nodiscard]] std::string stencil_kernel_help();

} // namespace ridge::app
