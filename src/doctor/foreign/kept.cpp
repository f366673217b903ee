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

constexpr std::array run_fields{std::pair{"seconds", &ForeignRun::wall},
                                std::pair{"recording_seconds", &ForeignRun::recording},
                                std::pair{"cpu_seconds", &ForeignRun::cpu},
                                std::pair{"system_seconds", &ForeignRun::kernel_cpu},
                                std::pair{"page_faults", &ForeignRun::faults},
                                std::pair{"switches", &ForeignRun::switches},
                                std::pair{"involuntary_switches", &ForeignRun::involuntary},
                                std::pair{"most_bytes", &ForeignRun::most_bytes},
                                std::pair{"cores", &ForeignRun::cores},
                                std::pair{"others_seconds", &ForeignRun::others}};
constexpr std::array roof_fields{
    std::pair{"peak_bytes_per_second", &Foreign::peak_bytes_per_second},
    std::pair{"read_bytes_per_second", &Foreign::read_bytes_per_second}};
constexpr std::array name_fields{std::pair{"device", &ForeignRun::device},
                                 std::pair{"device_name", &ForeignRun::device_name}};

std::vector<std::string> fields_in(std::string_view line) {
  std::vector<std::string> words{""};
  for (const char c : line) {
    if (c == '\t')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

/// A number of at most so many digits; 0 where there is none.
double number_in(const std::string& word) {
  constexpr double most = 1e18;
  const double value = std::strtod(word.c_str(), nullptr);
  return value >= 0 && value < most ? value : 0;
}

/// One line's words: its name and one value.
void take_field(Foreign& all, const std::string& name, const std::string& value) {
  for (const auto& [known, member] : run_fields)
    if (name == known) all.run.*member = number_in(value);
  for (const auto& [known, member] : roof_fields)
    if (name == known) all.*member = number_in(value);
  for (const auto& [known, member] : name_fields)
    if (name == known) all.run.*member = value;
  if (name == "peak_name") all.peak_name = value;
  auto& notes = all.run.notes; // the timeline has some of them
  if (name == "note" && std::find(notes.begin(), notes.end(), value) == notes.end())
    notes.push_back(value);
}

constexpr const char* program_mark = "*"; // in place of a kernel's name

void take_twin(Foreign& all, const std::vector<std::string>& words) {
  TwinRun run{words[2], words[3], words[4], number_in(words[5]), number_in(words[6]),
              0,        0,        words[7]};
  if (words.size() > 9) {
    run.gain = number_in(words[8]);
    run.likeness = number_in(words[9]);
  }
  if (words[1] == program_mark) all.run.twins.push_back(run);
  for (ForeignKernel& k : all.kernels)
    if (k.raw_name == words[1]) k.twins.push_back(run);
}

/// A text as a field of a line.
std::string in_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

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
  for (ForeignKernel& k : all.kernels)
    if (const auto found = lines.find(k.raw_name); found != lines.end()) k.spills = found->second;
}

std::string to_text(const CardState& card) {
  std::string text;
  for (const auto& [name, member] : card_fields)
    text += fmt::format("{}\t{:.6g}\n", name, card.*member);
  return text;
}

std::string run_text_of(const Foreign& all) {
  std::string text;
  for (const auto& [name, member] : run_fields)
    text += fmt::format("{}\t{:.17g}\n", name, all.run.*member);
  for (const auto& [name, member] : roof_fields)
    text += fmt::format("{}\t{:.17g}\n", name, all.*member);
  for (const auto& [name, member] : name_fields)
    text += fmt::format("{}\t{}\n", name, all.run.*member);
  text += fmt::format("peak_name\t{}\n", all.peak_name);
  for (const std::string& note : all.run.notes)
    text += fmt::format("note\t{}\n", in_line(note));
  for (const auto& [cause, gain] : all.run.trials)
    text += fmt::format("trial\t{}\t{:.17g}\n", cause, gain);
  const auto add = [&](std::string_view kernel, const std::vector<TwinRun>& twins) {
    for (const TwinRun& t : twins)
      text += fmt::format("twin\t{}\t{}\t{}\t{}\t{:.17g}\t{:.17g}\t{}\t{:.17g}\t{:.17g}\n", kernel,
                          t.cause, t.what, t.change, t.seconds, t.changed_seconds,
                          in_line(t.missing), t.gain, t.likeness);
  };
  add(program_mark, all.run.twins);
  for (const ForeignKernel& k : all.kernels)
    add(k.raw_name, k.twins);
  return text;
}

void take_run(Foreign& all, std::string_view text) {
  while (!text.empty()) {
    const std::vector<std::string> words = fields_in(next_line(text));
    if (words.size() == 2 && !words[1].empty())
      take_field(all, words[0], words[1]);
    else if (words.size() == 3 && words[0] == "trial")
      all.run.trials[words[1]] = number_in(words[2]);
    else if ((words.size() == 8 || words.size() == 10) && words[0] == "twin")
      take_twin(all, words);
  }
}

CardState read_card(std::string_view text) {
  CardState card;
  while (!text.empty()) {
    const std::string line(next_line(text));
    for (const auto& [name, member] : card_fields) {
      const std::string begin = std::string(name) + "\t";
      if (line.starts_with(begin)) card.*member = number_in(line.substr(begin.size()));
    }
  }
  return card;
}

} // namespace ridge::doctor
