// The kernels of `ridge apply`, with their types put away: what they need to know and do.
#pragma once

#include <ridge/lab/stencil_job.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <string>
#include <string_view>

namespace ridge::app {

/// Throws UsageError for an unknown kernel, a rank it does not have, or a spacing that does not fit
/// it or the precision.
[[nodiscard]] lab::StencilJob make_stencil_job(std::string_view kernel, int rank, int element_bytes,
                                               stencil::Spacing spacing);

/// Throws UsageError that lists the kernels when there is none of this name.
void require_stencil_kernel(std::string_view kernel);

/// The kernels and what they compute, one a line.
[[nodiscard]] std::string stencil_kernel_help();

} // namespace ridge::app
