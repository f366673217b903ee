#include <ridge/pattern/pattern_row.hpp>

#include <algorithm>
#include <limits>

namespace ridge {

namespace {

/// Made when first used, by whichever static initialiser comes first.
std::vector<PatternRow>& row_table() {
  static auto* const all = new std::vector<PatternRow>;
  return *all;
}

} // namespace

PatternAnnounced::PatternAnnounced(const PatternRow& row) {
  std::vector<PatternRow>& all = row_table();
  const auto after = [&](const PatternRow& other) { return other.place > row.place; };
  all.insert(std::find_if(all.begin(), all.end(), after), row);
}

const std::vector<PatternRow>& pattern_rows() {
  return row_table();
}

int place_of_pattern(std::string_view name) {
  for (const PatternRow& row : row_table())
    if (row.name == name) return row.place;
  return std::numeric_limits<int>::max();
}

} // namespace ridge
