// Texts of perf stat and perf report.
#include <ridge/doctor/foreign/perf.hpp>
#include <ridge/record/profile_table.hpp>

#include <algorithm>
#include <map>

namespace ridge::doctor {

namespace {

const std::map<std::string, Counted ProcessorCounts::*, std::less<>>& events() {
  using P = ProcessorCounts;
  static const std::map<std::string, Counted P::*, std::less<>> all{
      {"cycles", &P::cycles},
      {"instructions", &P::instructions},
      {"branches", &P::branches},
      {"branch-misses", &P::branch_misses},
      {"cache-misses", &P::cache_misses},
      {"dTLB-load-misses", &P::tlb_misses},
      {"L1-dcache-loads", &P::loads},
      {"node-loads", &P::node_loads},
      {"node-load-misses", &P::node_misses}};
  return all;
}

/// Words between spaces and, where there is one, commas of -x.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words{""};
  const bool by_commas =
      std::count(line.begin(), line.end(), ',') >= 4 && line.find(' ') == std::string_view::npos;
  for (const char c : line) {
    if (by_commas ? c == ',' : c == ' ' || c == '\t') {
      if (by_commas || !words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// "cycles" of "cycles:u" and of "cpu_core/cycles/".
std::string event_of(std::string word) {
  if (const auto slash = word.find('/'); slash != std::string::npos && slash + 1 < word.size())
    word = word.substr(slash + 1, word.find('/', slash + 1) - slash - 1);
  return word.substr(0, word.find(':'));
}

bool take_count(const std::vector<std::string>& words, Foreign& all) {
  if (words.size() < 2) return false;
  const auto value = profile_number(words[0]);
  if (!value) return false;
  if (words.size() > 3 && words[1] == "seconds" && words[2] == "time") {
    all.run.wall = *value;
    return true;
  }
  for (std::size_t i = 1; i < std::min<std::size_t>(words.size(), 4); ++i) {
    const std::string event = event_of(words[i]);
    const bool by_commas = words[1].empty() || words[1] == "msec";
    if (event == "task-clock") {
      all.run.cpu = *value * 1e-3;
      return true;
    }
    if (event == "page-faults") {
      all.run.faults = *value;
      return true;
    }
    if (event == "context-switches") {
      all.run.switches = *value;
      return true;
    }
    if (const auto found = events().find(event); found != events().end()) {
      Counted& member = all.run.processor.*found->second;
      member = member.value_or(0) + *value; // of two kinds of cores
      return true;
    }
    if (!by_commas) break;
  }
  return false;
}

/// "45.12%  a.out  a.out  [.] flux(double*)": a function and its share.
bool take_function(const std::vector<std::string>& words, Foreign& all) {
  if (words.size() < 3 || words[0].size() < 2 || words[0].back() != '%') return false;
  const auto share = profile_number(words[0].substr(0, words[0].size() - 1));
  const auto mark = std::find_if(words.begin(), words.end(), [](const std::string& w) {
    return w.size() == 3 && w.front() == '[' && w.back() == ']';
  });
  if (!share || mark == words.end() || mark + 1 == words.end()) return false;
  ForeignKernel& k = all.kernels.emplace_back();
  for (auto word = mark + 1; word != words.end(); ++word)
    k.name += (k.name.empty() ? "" : " ") + *word;
  if (k.name.starts_with("0x") && mark != words.begin()) k.name = *(mark - 1) + " " + k.name;
  if (*mark == "[k]") k.name += " (the system's)";
  k.raw_name = k.name;
  k.launches = 1;
  k.seconds = *share / 100;
  return true;
}

} // namespace

std::string perf_events() {
  std::string all = "task-clock,page-faults,context-switches";
  for (const auto& [name, member] : events())
    all += "," + name;
  return all;
}

bool read_perf(std::string_view text, Foreign& all) {
  bool any = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto words = words_of(line);
    any |= take_function(words, all) || take_count(words, all);
  }
  // Shares of samples become times of the program.
  if (any && all.run.cpu > 0) {
    for (ForeignKernel& k : all.kernels)
      k.seconds *= all.run.cpu;
  }
  return any;
}

} // namespace ridge::doctor
