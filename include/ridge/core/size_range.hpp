// Several sizes in one text, for studies of how speed depends on size.
#pragma once

#include <ridge/core/extents.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// The sizes of a range, first to last.
struct SizeRange {
  std::vector<Extents> sizes;
  std::string note; ///< what to tell the user: the end is not reached; else empty
};

/// Most sizes of a range.
inline constexpr std::size_t most_sizes = 10000;

/// Whether `text` is a range and no single size.
[[nodiscard]] bool is_size_range(std::string_view text);

/// Reads one size as `parse_extents` does, or a range:
///
/// - `256x256x256..1024x1024x1024:256` grows one dimension after the other by 256, x first:
///   256x256x256, 512x256x256, 512x512x256, 512x512x512, ... A dimension at its end stays there.
/// - `512x256x64..512x2048x64:y+64` grows y alone; `:xy+64` grows x and y together.
///
/// Throws UsageError that names `what` for a range without a step, of other dimensions at its ends,
/// that goes down, whose other dimensions differ, or of more than `most_sizes`.
[[nodiscard]] SizeRange parse_sizes(std::string_view text, std::string_view what = "size");

} // namespace ridge
