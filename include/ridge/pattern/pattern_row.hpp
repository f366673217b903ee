// The patterns, as lists and reports name them: a row each, which its own folder announces.
#pragma once

#include <string_view>
#include <vector>

namespace ridge {

struct PatternRow {
  std::string_view name; ///< as BenchKernel::pattern and Record::pattern have it
  int place;             ///< among others in lists of kernels
  bool marked = false;   ///< charts have a mark of its own
};

/// Announces a pattern from a static initialiser.
class PatternAnnounced {
public:
  explicit PatternAnnounced(const PatternRow& row);
};

/// All of them, in their places.
[[nodiscard]] const std::vector<PatternRow>& pattern_rows();
/// The place of a pattern; behind all others where none has the name.
[[nodiscard]] int place_of_pattern(std::string_view name);

} // namespace ridge
