// Tables that profilers of GPUs write as CSV.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// A profiler's table: one line a launch, or one a counter of a launch.
struct ProfileTable {
  std::vector<std::string> header;
  std::string header_line;                     ///< as it is in the text
  std::vector<std::vector<std::string>> lines; ///< each as long as the header
  /// The place of a column, in whatever case; -1 where there is none.
  [[nodiscard]] int column(std::string_view name) const;
};

/// Takes the cells of a line; of the table it has the header alone.
using TakeProfileLine =
    std::function<void(const ProfileTable& table, std::vector<std::string>& cells)>;
/// All that follows the header, which is the first line with a column of kernels' names, or `also`;
/// ncu says more before. Throws UsageError for a text without such a line, or that is cut off.
void each_profile_line(std::string_view text, std::string_view also, const TakeProfileLine& take);
/// The lines together.
[[nodiscard]] ProfileTable read_profile_table(std::string_view text);

/// True for "VGPR_Count" and "Vgpr_Count": tools of one maker differ in this.
[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);

/// "1,073,741,824" and "1.07e+09"; nothing for a text that is no finite number.
[[nodiscard]] std::optional<double> profile_number(std::string text);
/// True for numbers as other languages write them: "86,52", "1.073.741.824".
[[nodiscard]] bool is_written_otherwise(std::string_view text);

} // namespace ridge
