// Texts of perf stat and perf report.
#include <ridge/doctor/foreign/perf.hpp>
#include <ridge/record/profile_table.hpp>

#include <fmt/format.h>

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

/// The name of code without one, by the words before its mark: an object that was stripped, or what
/// a compiler made while the program ran.
std::string nameless(const std::vector<std::string>& words, std::ptrdiff_t mark) {
  const auto begin = words.begin(), end = begin + mark;
  if (std::any_of(begin, end, [](const std::string& w) { return w == "[JIT]"; }))
    return "code that was made while it ran, without names";
  return (mark > 0 ? *(end - 1) : std::string("?")) + ", stripped of names";
}

/// "main, OpenMP region 0" of "main._omp_fn.0" and "main [clone ._omp_fn.0]", which GCC makes.
std::string with_region(const std::string& name) {
  constexpr std::string_view mark = "._omp_fn.";
  const std::size_t at = name.find(mark);
  if (at == std::string::npos) return name;
  const std::string number = name.substr(at + mark.size());
  return fmt::format("{}, OpenMP region {}", name.substr(0, std::min(at, name.find(" [clone "))),
                     number.substr(0, number.find_first_not_of("0123456789")));
}

/// "45.12%  a.out  a.out  [.] flux(double*)": a function and its share. Addresses of one object
/// that have no names are one function.
bool take_function(const std::vector<std::string>& words, Foreign& all) {
  if (words.size() < 3 || words[0].size() < 2 || words[0].back() != '%') return false;
  const auto share = profile_number(words[0].substr(0, words[0].size() - 1));
  const auto mark = std::find_if(words.begin(), words.end(), [](const std::string& w) {
    return w.size() == 3 && w.front() == '[' && w.back() == ']';
  });
  if (!share || mark == words.end() || mark + 1 == words.end()) return false;
  std::string name;
  for (auto word = mark + 1; word != words.end(); ++word)
    name += (name.empty() ? "" : " ") + *word;
  if (name.starts_with("0x")) name = nameless(words, mark - words.begin());
  name = with_region(name);
  if (*mark == "[k]") name = "the system's " + name;
  auto known = std::find_if(all.kernels.begin(), all.kernels.end(),
                            [&](const ForeignKernel& k) { return k.name == name; });
  if (known == all.kernels.end()) {
    known = all.kernels.emplace(all.kernels.end());
    known->name = known->raw_name = name;
    known->launches = 1;
  }
  known->seconds += *share / 100;
  return true;
}

/// The cores' time that was sampled, where the clock was what perf sampled: "# Samples: 39  of
/// event 'cpu-clock:pppH'" and "# Event count (approx.): 195979875", nanoseconds.
void take_clock(std::string_view line, bool& of_clock, Foreign& all) {
  constexpr std::string_view count = "# Event count (approx.): ";
  if (line.find(" of event '") != std::string_view::npos)
    of_clock = line.find("'cpu-clock") != std::string_view::npos ||
               line.find("'task-clock") != std::string_view::npos;
  if (!of_clock || !line.starts_with(count) || all.run.cpu > 0) return;
  all.run.cpu = 1e-9 * profile_number(std::string(line.substr(count.size()))).value_or(0);
}

} // namespace

std::string perf_events() {
  std::string all = "task-clock,page-faults,context-switches";
  for (const auto& [name, member] : events())
    all += "," + name;
  return all;
}

bool read_perf(std::string_view text, Foreign& all) {
  bool any = false, of_clock = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('#')) take_clock(line, of_clock, all);
    if (line.empty() || line.front() == '#') continue;
    const auto words = words_of(line);
    any |= take_function(words, all) || take_count(words, all);
  }
  std::stable_sort(
      all.kernels.begin(), all.kernels.end(),
      [](const ForeignKernel& a, const ForeignKernel& b) { return a.seconds > b.seconds; });
  // Shares of samples become times of the program.
  if (any && all.run.cpu > 0) {
    for (ForeignKernel& k : all.kernels)
      k.seconds *= all.run.cpu;
  }
  return any;
}

} // namespace ridge::doctor
