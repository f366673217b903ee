// Lines "KEY = VALUE" of headers.
#include <ridge/core/error.hpp>

#include "formats.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::io {

std::string_view trimmed(std::string_view text) {
  const auto blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string to_text(const std::vector<HeaderLine>& lines) {
  std::string text;
  for (const HeaderLine& line : lines)
    text += line.key + " = " + line.value + "\n";
  return text;
}

std::vector<HeaderLine> parse_lines(const std::filesystem::path& file, std::string_view text) {
  std::vector<HeaderLine> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      throw UsageError(
          about(file, fmt::format("the line '{}' of its header is not KEY = VALUE", line)));
    }
    lines.push_back({std::string(trimmed(line.substr(0, equals))),
                     std::string(trimmed(line.substr(equals + 1)))});
  }
  return lines;
}

std::vector<HeaderLine> first_lines(const std::vector<HeaderLine>& lines,
                                    std::vector<GaugeCheck>& checks) {
  std::vector<HeaderLine> first;
  for (const HeaderLine& line : lines) {
    const auto same = [&](const HeaderLine& other) { return other.key == line.key; };
    const auto before = std::find_if(first.begin(), first.end(), same);
    if (before == first.end()) {
      first.push_back(line);
    } else {
      checks.push_back({fmt::format("header's {}", line.key),
                        fmt::format("given twice, as {} and {}", before->value, line.value),
                        "one line (the first counts)", false});
    }
  }
  return first;
}

} // namespace ridge::io
