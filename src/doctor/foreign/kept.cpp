#include <ridge/doctor/foreign/kept.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace ridge::doctor {

namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// The text between two marks; empty where one is missing.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + before.size();
  const std::size_t end = line.find(after, begin);
  return end == std::string_view::npos ? std::string_view() : line.substr(begin, end - begin);
}

SpillLine& line_of(std::vector<SpillLine>& lines, const SpillLine& place) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const SpillLine& l) {
    return l.file == place.file && l.line == place.line;
  });
  return found != lines.end() ? *found : lines.emplace_back(place);
}

void sort_lines(std::vector<SpillLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const SpillLine& a, const SpillLine& b) {
    return a.stores + a.loads > b.stores + b.loads;
  });
}

constexpr std::array card_fields{std::pair{"samples", &CardState::samples},
                                 std::pair{"watts", &CardState::watts},
                                 std::pair{"most_watts", &CardState::most_watts},
                                 std::pair{"limit_watts", &CardState::limit_watts},
                                 std::pair{"clock_hz", &CardState::clock_hz},
                                 std::pair{"best_clock_hz", &CardState::best_clock_hz},
                                 std::pair{"celsius", &CardState::celsius},
                                 std::pair{"by_power", &CardState::by_power},
                                 std::pair{"by_heat", &CardState::by_heat},
                                 std::pair{"by_setting", &CardState::by_setting}};

} // namespace

SpillLines read_disassembly(std::string_view text) {
  SpillLines all;
  std::string kernel;
  SpillLine place;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with("\t.section")) {
      const std::string_view name = between(line, "\t.text.", ",");
      kernel = name;
      place = {};
    } else if (line.find("//## File") != std::string_view::npos) {
      place.file = between(line, "File \"", "\"");
      place.line = std::atoi(std::string(line.substr(line.rfind(' ') + 1)).c_str());
    } else if (!kernel.empty() && line.find("/*") != std::string_view::npos) {
      const bool stores = line.find(" STL") != std::string_view::npos;
      if (!stores && line.find(" LDL") == std::string_view::npos) continue;
      SpillLine& l = line_of(all[kernel], place);
      ++(stores ? l.stores : l.loads);
    }
  }
  for (auto& [name, lines] : all)
    sort_lines(lines);
  return all;
}

std::string to_text(const SpillLines& all) {
  std::string text;
  for (const auto& [kernel, lines] : all) {
    for (const SpillLine& l : lines)
      text += fmt::format("{}\t{}\t{}\t{}\t{}\n", kernel, l.file, l.line, l.stores, l.loads);
  }
  return text;
}

SpillLines read_spill_lines(std::string_view text) {
  SpillLines all;
  while (!text.empty()) {
    std::stringstream words{std::string(next_line(text))};
    std::string kernel;
    SpillLine l;
    std::getline(words, kernel, '\t');
    std::getline(words, l.file, '\t');
    if (words >> l.line >> l.stores >> l.loads) all[kernel].push_back(l);
  }
  return all;
}

void add_spill_lines(Foreign& all, const SpillLines& lines) {
  for (ForeignKernel& k : all.kernels) {
    if (const auto found = lines.find(k.raw_name); found != lines.end()) k.spills = found->second;
  }
}

std::string to_text(const CardState& card) {
  std::string text;
  for (const auto& [name, member] : card_fields)
    text += fmt::format("{}\t{:.6g}\n", name, card.*member);
  return text;
}

CardState read_card(std::string_view text) {
  CardState card;
  while (!text.empty()) {
    const std::string line(next_line(text));
    for (const auto& [name, member] : card_fields) {
      if (line.starts_with(std::string(name) + "\t"))
        card.*member = std::atof(line.c_str() + std::string(name).size() + 1);
    }
  }
  return card;
}

} // namespace ridge::doctor
