#include <ridge/core/error.hpp>
#include <ridge/record/ncu_report.hpp>

#include <array>
#include <cstdlib>
#include <map>
#include <vector>

namespace ridge {

namespace {

constexpr const char* read_metric = "dram__bytes_read.sum";
constexpr const char* written_metric = "dram__bytes_write.sum";
constexpr const char* sectors_metric = "lts__t_sectors.sum";
constexpr const char* hits_metric = "lts__t_sectors_lookup_hit.sum";
constexpr std::array metrics{read_metric, written_metric, sectors_metric, hits_metric};

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

/// "1,073,741,824" and "1.07e+09"; false for a unit or a name.
bool read_number(std::string text, double& value) {
  std::erase(text, ',');
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

[[noreturn]] void refuse(std::string_view report) {
  if (report.find("ERR_NVGPUCTRPERM") != std::string_view::npos) {
    throw Failure("the driver lets only administrators count (ERR_NVGPUCTRPERM): load it with "
                  "NVreg_RestrictProfilingToAdminUsers=0, or run as root or with CAP_SYS_ADMIN");
  }
  std::string said;
  for (std::size_t at = report.find("==ERROR=="); at != std::string_view::npos && said.empty();)
    said = report.substr(at, report.find('\n', at) - at);
  throw Failure("ncu counted no launch" + (said.empty() ? "" : ": " + said));
}

} // namespace

std::string ncu_metrics() {
  std::string all;
  for (const char* const name : metrics)
    all += (all.empty() ? "" : ",") + std::string(name);
  return all;
}

Counters parse_ncu_report(std::string_view report) {
  std::map<std::string, std::size_t> columns;
  std::map<std::string, double> sums;
  int launches = 0;
  for (std::size_t begin = 0; begin < report.size();) {
    const std::size_t end = std::min(report.find('\n', begin), report.size());
    const auto cells = cells_of(report.substr(begin, end - begin));
    begin = end + 1;
    if (columns.empty()) {
      for (std::size_t i = 0; cells[0] == "ID" && i < cells.size(); ++i)
        columns[cells[i]] = i;
      continue;
    }
    double number = 0;
    if (!read_number(cells[0], number)) continue; // the line of units
    ++launches;
    for (const char* const name : metrics) {
      const auto column = columns.find(name);
      if (column == columns.end() || column->second >= cells.size()) continue;
      if (read_number(cells[column->second], number)) sums[name] += number;
    }
  }
  if (launches == 0 || !sums.contains(read_metric) || !sums.contains(written_metric))
    refuse(report);
  Counters counters{"ncu", sums[read_metric], sums[written_metric], {}};
  if (sums[sectors_metric] > 0) counters.hit_rate = sums[hits_metric] / sums[sectors_metric];
  return counters;
}

} // namespace ridge
