// Tables that profilers of GPUs write as CSV.
#include <ridge/core/error.hpp>
#include <ridge/record/profile_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

ProfileTable read_profile_table(std::string_view text, std::string_view also) {
  ProfileTable table;
  const auto has = [](const Cells& cells, std::string_view name) {
    return !name.empty() && std::any_of(cells.begin(), cells.end(), [&](const std::string& c) {
      return is_same_name(c, name);
    });
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with("==")) continue;
    Cells cells = cells_of_profile(line);
    if (table.header.empty()) {
      for (const std::string_view name : {"KernelName", "Kernel_Name", "Kernel Name"}) {
        if (has(cells, name) || has(cells, also)) table.header = cells;
      }
    } else if (cells == table.header) {
      continue; // of another pass
    } else if (cells.size() == table.header.size()) {
      table.lines.push_back(std::move(cells));
    } else {
      throw UsageError(fmt::format("a line of the profile has {} cells where its header has {}: it "
                                   "is cut off, or no profile",
                                   cells.size(), table.header.size()));
    }
  }
  if (table.header.empty()) {
    throw UsageError("no profile of rocprof (results.csv), rocprofv3 (counter_collection.csv) or "
                     "ncu (--csv): no line has a column KernelName, Kernel_Name or Kernel Name");
  }
  return table;
}

std::optional<double> profile_number(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

} // namespace ridge
