// Profilers' files as kernels with their counts.
#include <ridge/core/error.hpp>
#include <ridge/doctor/foreign/kernel.hpp>
#include <ridge/record/profile_table.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

namespace ridge::doctor {

namespace {

/// How much one of a unit is, in bytes, seconds, 1 a second or of 1: "Kbyte/block",
/// "cycle/nsecond", "%".
double unit_of(std::string unit) {
  static const std::map<std::string, double, std::less<>> known{
      {"Kbyte", 1e3},    {"Mbyte", 1e6}, {"Gbyte", 1e9},    {"Tbyte", 1e12},
      {"nsecond", 1e-9}, {"ns", 1e-9},   {"usecond", 1e-6}, {"us", 1e-6},
      {"msecond", 1e-3}, {"ms", 1e-3},   {"second", 1},     {"s", 1},
      {"Khz", 1e3},      {"Mhz", 1e6},   {"Ghz", 1e9},      {"%", 1e-2}};
  const auto value = [](const std::string& part) {
    const auto found = known.find(part);
    return found == known.end() ? 1 : found->second;
  };
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos) return value(unit);
  return value(unit.substr(0, slash)) / value(unit.substr(slash + 1));
}

std::string lower(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const CountName* count_of(const std::string& name) {
  static const std::map<std::string, const CountName*, std::less<>> known = [] {
    std::map<std::string, const CountName*, std::less<>> rows;
    for (const CountName& row : count_names())
      rows.emplace(lower(row.name), &row);
    return rows;
  }();
  const auto found = known.find(lower(name));
  return found == known.end() ? nullptr : found->second;
}

/// A launch of a profile.
struct Launch {
  std::string kernel, shape, device;
  LaunchCounts counts;
  Counted seconds;
  int counted = 0;
};

void take(Launch& launch, const std::string& name, const std::string& text,
          const std::string& unit) {
  if (name == "device__attribute_display_name") launch.device = text;
  const auto number = profile_number(text);
  if (!number) return; // ncu has "n/a", too
  if (name == "gpu__time_duration.sum") {
    launch.seconds = *number * unit_of(unit.empty() ? "ns" : unit);
    return;
  }
  if (name == "DurationNs") {
    launch.seconds = *number * 1e-9;
    return;
  }
  const CountName* const row = count_of(name);
  if (row == nullptr) return;
  // Percentages that ncu prints without a unit are percentages still. A unit that is printed is the
  // right one.
  const bool percent = name.find(".pct") != std::string::npos;
  const double printed = unit.empty() && percent ? 1e-2 : unit_of(unit);
  const double one = printed != 1 ? printed : row->unit;
  Counted& member = launch.counts.*row->member;
  member = (row->adds ? member.value_or(0) : 0) + *number * one;
  ++launch.counted;
}

/// Columns by which the tables of the profilers differ.
struct Columns {
  int kernel, id, counter, value, unit, start, end, block, grid;

  static int first(const ProfileTable& t, std::initializer_list<const char*> names) {
    int at = -1;
    for (const char* const name : names)
      at = std::max(at, t.column(name));
    return at;
  }
  explicit Columns(const ProfileTable& t)
      : kernel(first(t, {"KernelName", "Kernel_Name", "Kernel Name"})),
        id(first(t, {"Index", "Dispatch_Id", "Dispatch_ID", "ID"})),
        counter(first(t, {"Counter_Name", "Metric Name"})),
        value(first(t, {"Counter_Value", "Metric Value"})), unit(first(t, {"Metric Unit"})),
        start(first(t, {"Start_Timestamp", "BeginNs"})), end(first(t, {"End_Timestamp", "EndNs"})),
        block(first(t, {"Block Size", "Workgroup_Size", "wgr"})),
        grid(first(t, {"Grid Size", "Grid_Size", "grd"})) {}
};

/// Items of a launch over those of a group: AMD's grids are in items.
void take_amd_blocks(Launch& launch, const std::string& grid) {
  const auto items = profile_number(grid);
  if (items && launch.counts.block_threads.value_or(0) > 0 && !launch.counts.blocks)
    launch.counts.blocks = *items / *launch.counts.block_threads;
}

/// A trace of AMD's has the sizes of a grid, in items, and of a group in columns of their own.
void take_amd_shape(Launch& launch, const ProfileTable& t, const std::vector<std::string>& line) {
  std::string grid, group;
  double blocks = 1, threads = 1;
  for (const char axis : {'X', 'Y', 'Z'}) {
    const auto size = [&](const char* name) {
      const int at = t.column(fmt::format("{}_{}", name, axis));
      return at < 0 ? std::nullopt : profile_number(line[static_cast<std::size_t>(at)]);
    };
    const auto items = size("Grid_Size"), of_group = size("Workgroup_Size");
    if (!items || of_group.value_or(0) <= 0) return;
    const double here = std::ceil(*items / *of_group);
    blocks *= here;
    threads *= *of_group;
    grid += fmt::format("{}{:.0f}", grid.empty() ? "" : ",", here);
    group += fmt::format("{}{:.0f}", group.empty() ? "" : ",", *of_group);
  }
  launch.shape = fmt::format("({}) x ({})", grid, group);
  launch.counts.blocks = blocks;
  launch.counts.block_threads = threads;
}

/// Figures that AMD's raw counters have in parts, by AMD's own definitions (FETCH_SIZE, WRITE_SIZE,
/// L2CacheHit, VALUUtilization): rocprof-compute keeps these.
void derive_amd(LaunchCounts& c) {
  if (!c.bytes_read && c.read_requests) // of 64 bytes, but for those of 32 and of 128
    c.bytes_read = 64 * (*c.read_requests + c.read_requests_of_128.value_or(0)) -
                   32 * c.read_requests_of_32.value_or(0);
  if (!c.bytes_written && c.write_requests) // of 32 bytes, but for those of 64
    c.bytes_written = 32 * (*c.write_requests + c.write_requests_of_64.value_or(0));
  if (c.cache_hits && c.cache_misses && !c.cache_sectors)
    c.cache_sectors = *c.cache_hits + *c.cache_misses;
  if (!c.lanes && c.lane_cycles && c.vector_cycles.value_or(0) > 0)
    c.lanes = *c.lane_cycles / (*c.vector_cycles * c.wave_lanes.value_or(64));
}

void take_line(Launch& launch, const ProfileTable& t, const Columns& at,
               const std::vector<std::string>& line, const std::vector<std::string>& units) {
  const auto cell = [&](int column) {
    return column < 0 ? std::string() : line[static_cast<std::size_t>(column)];
  };
  launch.kernel = cell(at.kernel);
  if (at.grid >= 0 && at.block >= 0) launch.shape = cell(at.grid) + " x " + cell(at.block);
  if (at.counter >= 0) take(launch, cell(at.counter), cell(at.value), cell(at.unit));
  for (std::size_t i = 0; i < line.size(); ++i)
    take(launch, t.header[i], line[i], units.empty() ? "" : units[i]);
  const auto start = profile_number(cell(at.start)), end = profile_number(cell(at.end));
  if (start && end && *end >= *start) launch.seconds = (*end - *start) * 1e-9;
  take_amd_blocks(launch, cell(at.grid));
  take_amd_shape(launch, t, line);
}

/// "void f(int)" of "_Z1fi"; other names as they are.
std::string readable(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

void merge(std::vector<ForeignKernel>& kernels, Launch& launch, const std::string& source) {
  auto found = std::find_if(kernels.begin(), kernels.end(),
                            [&](const ForeignKernel& k) { return k.raw_name == launch.kernel; });
  if (found == kernels.end()) {
    found = kernels.emplace(kernels.end());
    found->name = readable(launch.kernel);
    found->raw_name = launch.kernel;
  }
  derive_amd(launch.counts);
  if (launch.counts.cache_hits && launch.counts.cache_sectors.value_or(0) > 0)
    launch.counts.cache_hit_rate = *launch.counts.cache_hits / *launch.counts.cache_sectors;
  found->launches += 1;
  const double seconds = launch.seconds.value_or(0);
  found->seconds += seconds;
  found->shortest = found->launches == 1 ? seconds : std::min(found->shortest, seconds);
  if (found->launches > 1 && seconds <= found->launch_seconds.value_or(0)) return;
  found->shape = launch.shape;
  found->counts = launch.counts;
  found->launch_seconds = launch.seconds;
  if (launch.counted > 0) found->counted_by = source;
}

/// The kernels with the largest share of time first. Throws UsageError where there is none.
Foreign sorted(Foreign all) {
  if (all.kernels.empty()) throw UsageError("the profile has a header, and no launch of a kernel");
  std::stable_sort(
      all.kernels.begin(), all.kernels.end(),
      [](const ForeignKernel& a, const ForeignKernel& b) { return a.seconds > b.seconds; });
  return all;
}

constexpr const char* stats_column = "TotalDurationNs";

/// A line a kernel, as rocprof --stats and rocprofv3 --stats write them: times alone.
Foreign read_stats(const ProfileTable& t) {
  const auto cell = [&](const std::vector<std::string>& line, const char* name) {
    const int at = t.column(name);
    return at < 0 ? std::string() : line[static_cast<std::size_t>(at)];
  };
  Foreign all;
  for (const auto& line : t.lines) {
    const std::string name = cell(line, "Name");
    if (name.starts_with("hipLaunch") || name.starts_with("hsa_"))
      throw UsageError(fmt::format("the table is of calls such as {}, not of kernels; give "
                                   "*kernel_stats.csv, or results.stats.csv of rocprof",
                                   name));
    const auto calls = profile_number(cell(line, "Calls"));
    const auto total = profile_number(cell(line, stats_column));
    if (name.empty() || !calls || !total || *calls < 1) continue;
    ForeignKernel& k = all.kernels.emplace_back();
    k.raw_name = name;
    k.name = readable(name);
    k.launches = *calls;
    k.seconds = *total * 1e-9;
    k.shortest = profile_number(cell(line, "MinNs")).value_or(0) * 1e-9;
  }
  return all;
}

} // namespace

double Foreign::kernel_seconds() const {
  double all = 0;
  for (const ForeignKernel& k : kernels)
    all += k.seconds;
  return all;
}

double Foreign::peak_of(const ForeignKernel& kernel) const {
  const bool reads =
      kernel.counts.bytes_written.value_or(0) < 0.1 * kernel.counts.bytes_read.value_or(0);
  return reads && read_bytes_per_second > 0 ? read_bytes_per_second : peak_bytes_per_second;
}

Foreign read_foreign(std::string_view text) {
  const ProfileTable table = read_profile_table(text, stats_column);
  const Columns at(table);
  const bool is_ncu = table.column("Kernel Name") >= 0;
  const bool is_wide = at.counter < 0;
  std::vector<Launch> launches;
  std::map<std::string, std::size_t> known; // by the launch's number
  std::vector<std::string> units;           // of ncu's raw page, the line after the header
  int unnamed = 0;
  for (const auto& line : table.lines) {
    const std::string id =
        at.id < 0 ? fmt::format("#{}", unnamed++) : line[static_cast<std::size_t>(at.id)];
    if (is_ncu && is_wide && id.empty()) {
      units = line;
      continue;
    }
    const auto [place, is_new] = known.try_emplace(id, launches.size());
    if (is_new) launches.emplace_back();
    take_line(launches[place->second], table, at, line, units);
  }
  if (at.kernel < 0) return sorted(read_stats(table));
  Foreign all;
  const char* const source = is_ncu                            ? "ncu"
                             : table.column("KernelName") >= 0 ? "rocprof"
                                                               : "rocprofv3";
  for (Launch& launch : launches) {
    if (!launch.seconds && launch.counted == 0) {
      throw UsageError(fmt::format(
          "the profile has neither times nor counters of {}: record it with {}", launch.kernel,
          is_ncu ? "--set full, and print it with --csv --page raw" : "--kernel-trace or --pmc"));
    }
    merge(all.kernels, launch, source);
    all.run.device_name = launch.device;
  }
  return sorted(std::move(all));
}

void add_counts(Foreign& all, const Foreign& counted) {
  for (ForeignKernel& kernel : all.kernels) {
    for (const ForeignKernel& from : counted.kernels) {
      if (from.raw_name != kernel.raw_name && from.name != kernel.name) continue;
      kernel.counts = from.counts;
      kernel.counted_by = from.counted_by;
      kernel.launch_seconds = from.launch_seconds;
    }
  }
}

std::string short_name(const std::string& name) {
  std::string text = name.starts_with("void ") ? name.substr(5) : name;
  for (const std::string_view of_amd : {" (.kd)", " [clone .kd]", ".kd"})
    if (text.ends_with(of_amd)) text.resize(text.size() - of_amd.size());
  // The parameters are what the last parenthesis closes; others may be in the name.
  int open = 0;
  for (std::size_t at = text.size(); at-- > 1 && text.back() == ')';) {
    open += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    if (open > 0) continue;
    text.resize(at);
    break;
  }
  for (std::size_t at = 0; (at = text.find("(anonymous namespace)::")) != std::string::npos;)
    text.erase(at, 23);
  constexpr std::size_t most = 60;
  if (text.size() > most) text = text.substr(0, most - 3) + "...";
  return text;
}

} // namespace ridge::doctor
