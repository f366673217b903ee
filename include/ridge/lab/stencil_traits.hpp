// The lab's stencils as plain data, for whoever does not run them.
#pragma once

#include <ridge/stencil/traits.hpp>

#include <string_view>

namespace ridge::lab {

/// Footprints, flops and precision of a built-in stencil for a field of `rank` dimensions. Throws
/// UsageError for an unknown kernel, a kernel that is no stencil, a precision or a rank that it
/// does not have.
[[nodiscard]] stencil::Traits stencil_traits(std::string_view kernel, std::string_view precision,
                                             int rank);

} // namespace ridge::lab
