// What a built-in stencil cannot do.
#pragma once

#include <ridge/core/spacing.hpp>

#include <string_view>

namespace ridge::lab {

/// Throws UsageError unless `rank` is a number of dimensions from `least` to `most`. It says the
/// size that was `given`, if any.
void require_rank(std::string_view kernel, int least, int most, int rank,
                  std::string_view given = {});

/// Throws UsageError for a spacing that is not the same along all axes where it must be `equal`,
/// and for one whose weights, 1 / spacing^2, are beyond the numbers of so many bytes.
void require_spacing(std::string_view kernel, bool equal, Spacing h, int rank, int element_bytes);

} // namespace ridge::lab
