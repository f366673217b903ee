// Tables that profilers of GPUs write as CSV.
#include <ridge/core/error.hpp>
#include <ridge/record/profile_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace ridge {

namespace {

using Cells = std::vector<std::string>;

/// A line's cells; names of kernels are quoted and have commas, and quotes in them are doubled.
Cells cells_of_profile(std::string_view line) {
  Cells cells{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  if (quoted) throw UsageError("the profile ends within a quoted name: it is cut off");
  return cells;
}

constexpr std::array<std::string_view, 3> names_of_kernels{"KernelName", "Kernel_Name",
                                                           "Kernel Name"};

/// Throws UsageError for letters of two bytes each.
void require_bytes_of_letters(std::string_view text) {
  if (text.substr(0, 64).find('\0') != text.npos)
    throw UsageError("the profile is UTF-16, as > of PowerShell writes it, or no text: save it as "
                     "UTF-8");
}

/// True for "1,073,741,824.5", whose commas part three digits each, and for a number without any.
bool groups_are_of_three(std::string_view text) {
  const std::size_t first = text.find(',');
  if (first == text.npos) return true;
  const std::size_t end = std::min(text.find_first_of(".eE"), text.size());
  if (first > 3 + (text.front() == '-' ? 1U : 0U) || first == 0) return false;
  for (std::size_t at = first; at < end; at += 4) {
    if (text[at] != ',' || at + 4 > end || text.substr(at + 1, 3).find(',') != text.npos)
      return false;
  }
  return text.substr(end).find(',') == text.npos;
}

} // namespace

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

int ProfileTable::column(std::string_view name) const {
  const auto at = std::find_if(header.begin(), header.end(),
                               [&](const std::string& h) { return is_same_name(h, name); });
  return at == header.end() ? -1 : static_cast<int>(at - header.begin());
}

void each_profile_line(std::string_view text, std::string_view also, const TakeProfileLine& take) {
  require_bytes_of_letters(text);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3); // a mark that editors add
  ProfileTable table;
  const auto has = [](const Cells& cells, std::string_view name) {
    return !name.empty() && std::any_of(cells.begin(), cells.end(), [&](const std::string& c) {
      return is_same_name(c, name);
    });
  };
  bool semicolons = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with("==") || line == table.header_line) continue;
    Cells cells = cells_of_profile(line);
    if (table.header.empty()) {
      for (const std::string_view name : names_of_kernels) {
        if (has(cells, name) || has(cells, also)) {
          table.header = cells;
          table.header_line = line;
        }
        semicolons |= line.find(';') != line.npos && line.find(name) != line.npos;
      }
    } else if (cells == table.header) {
      continue; // of another pass
    } else if (cells.size() == table.header.size()) {
      take(table, cells);
    } else {
      throw UsageError(fmt::format("a line of the profile has {} cells where its header has {}: it "
                                   "is cut off, or no profile",
                                   cells.size(), table.header.size()));
    }
  }
  if (!table.header.empty()) return;
  if (semicolons) throw UsageError("semicolons part the profile's cells; give it with commas");
  throw UsageError("no profile of rocprof (results.csv), rocprofv3 (counter_collection.csv) or "
                   "ncu (--csv): no line has a column KernelName, Kernel_Name or Kernel Name");
}

ProfileTable read_profile_table(std::string_view text) {
  ProfileTable whole;
  each_profile_line(text, {}, [&](const ProfileTable& table, Cells& cells) {
    if (whole.header.empty()) whole.header = table.header;
    whole.lines.push_back(std::move(cells));
  });
  return whole;
}

std::optional<double> profile_number(std::string text) {
  if (!groups_are_of_three(text)) return std::nullopt;
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_written_otherwise(std::string_view text) {
  const bool digits = text.find_first_of("0123456789") != text.npos &&
                      text.find_first_not_of("-0123456789.,") == text.npos;
  return digits && !profile_number(std::string(text));
}

} // namespace ridge
