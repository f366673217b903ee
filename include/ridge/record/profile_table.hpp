// Tables that profilers of GPUs write as CSV.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// A profiler's table: one line a launch, or one a counter of a launch.
struct ProfileTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> lines; ///< each as long as the header
  /// The place of a column, in whatever case; -1 where there is none.
  [[nodiscard]] int column(std::string_view name) const;
};

/// All that follows the header, which is the first line with a column of kernels' names, or `also`;
/// ncu says more before. Throws UsageError for a text without such a line, or that is cut off.
[[nodiscard]] ProfileTable read_profile_table(std::string_view text, std::string_view also = {});

/// True for "VGPR_Count" and "Vgpr_Count": tools of one maker differ in this.
[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);

/// "1,073,741,824" and "1.07e+09"; nothing for a text that is no number.
[[nodiscard]] std::optional<double> profile_number(std::string text);

} // namespace ridge
