// Profilers' files as kernels with their counts.
#include <ridge/core/error.hpp>
#include <ridge/doctor/foreign/kernel.hpp>
#include <ridge/record/profile_table.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

namespace ridge::doctor {

namespace {

using Cells = std::vector<std::string>;

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

/// A number of a cell; nothing where it has none: ncu has "n/a", too.
Counted number_of(const std::string& text, std::string_view name) {
  if (is_written_otherwise(text))
    throw UsageError(fmt::format("{} is '{}': numbers have a decimal comma, or points between "
                                 "thousands; write the profile with LC_ALL=C",
                                 name, text));
  return profile_number(text);
}

/// Seconds that a launch can take.
Counted time_of(const Counted& seconds) {
  constexpr double most = 1e9;
  return seconds && *seconds > 0 && *seconds < most ? seconds : Counted();
}

/// What a column, or a line's counter, says.
struct Meaning {
  enum { nothing, time, device, count } of = nothing;
  const CountName* row = nullptr;
  double unit = 1;  ///< where none is printed
  std::string name; ///< as the profiler has it
};

Meaning meaning_of(const std::string& name) {
  if (name == "device__attribute_display_name") return {Meaning::device, nullptr, 1, name};
  if (name == "gpu__time_duration.sum" || name == "DurationNs")
    return {Meaning::time, nullptr, 1e-9, name};
  const CountName* const row = count_of(name);
  if (row == nullptr) return {};
  // Percentages that ncu prints without a unit are percentages still.
  const bool percent = name.find(".pct") != std::string::npos;
  return {Meaning::count, row, percent ? 1e-2 : row->unit, name};
}

void take(Launch& launch, const Meaning& meaning, const std::string& text,
          const std::string& printed) {
  if (meaning.of == Meaning::device) launch.device = text;
  if (meaning.of != Meaning::time && meaning.of != Meaning::count) return;
  const Counted number = number_of(text, meaning.name);
  if (!number) return;
  const double told = unit_of(printed); // the right one, where it says anything
  if (meaning.of == Meaning::time) {
    launch.seconds = time_of(*number * (printed.empty() ? meaning.unit : told));
    return;
  }
  Counted& member = launch.counts.*meaning.row->member;
  const double one = printed.empty() ? meaning.unit : told != 1 ? told : meaning.row->unit;
  member = (meaning.row->adds ? member.value_or(0) : 0) + *number * one;
  ++launch.counted;
}

/// Columns by which the tables of the profilers differ.
struct Columns {
  int kernel, id, counter, value, unit, start, end, block, grid;
  std::array<std::pair<int, int>, 3> axes; ///< of the grid, in items, and of a group
  std::vector<std::pair<std::size_t, Meaning>> counts;

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
        grid(first(t, {"Grid Size", "Grid_Size", "grd"})) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto of = [&](const char* name) {
        return t.column(fmt::format("{}_{}", name, "XYZ"[axis]));
      };
      axes[axis] = {of("Grid_Size"), of("Workgroup_Size")};
    }
    for (std::size_t i = 0; i < t.header.size(); ++i) {
      if (Meaning of_column = meaning_of(t.header[i]); of_column.of != Meaning::nothing)
        counts.emplace_back(i, std::move(of_column));
    }
  }
};

/// Items of a launch over those of a group: AMD's grids are in items.
void take_amd_blocks(Launch& launch, const std::string& grid) {
  const auto items = profile_number(grid);
  if (items && launch.counts.block_threads.value_or(0) > 0 && !launch.counts.blocks)
    launch.counts.blocks = *items / *launch.counts.block_threads;
}

/// A trace of AMD's has the sizes of a grid, in items, and of a group in columns of their own.
void take_amd_shape(Launch& launch, const Columns& columns, const Cells& line) {
  std::string grid, group;
  double blocks = 1, threads = 1;
  for (const auto& [grid_at, group_at] : columns.axes) {
    if (grid_at < 0 || group_at < 0) return;
    const auto items = profile_number(line[static_cast<std::size_t>(grid_at)]),
               of_group = profile_number(line[static_cast<std::size_t>(group_at)]);
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

std::string cell_of(const Cells& line, int column) {
  return column < 0 ? std::string() : line[static_cast<std::size_t>(column)];
}

void take_line(Launch& launch, const Columns& at, const Cells& line, const Cells& units) {
  const auto cell = [&](int column) { return cell_of(line, column); };
  launch.kernel = cell(at.kernel);
  if (at.grid >= 0 && at.block >= 0) launch.shape = cell(at.grid) + " x " + cell(at.block);
  if (at.counter >= 0) take(launch, meaning_of(cell(at.counter)), cell(at.value), cell(at.unit));
  for (const auto& [column, meaning] : at.counts)
    take(launch, meaning, line[column], units.empty() ? "" : units[column]);
  const auto start = profile_number(cell(at.start)), end = profile_number(cell(at.end));
  if (start && end) launch.seconds = time_of((*end - *start) * 1e-9);
  take_amd_blocks(launch, cell(at.grid));
  take_amd_shape(launch, at, line);
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

/// Takes a table's lines, and adds the launches up by their kernels' names.
class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  void take(const ProfileTable& table, Cells& line) {
    if (!at_) look_at(table);
    if (at_->kernel < 0) return take_stats(table, line);
    const std::string id = at_->id < 0 ? fmt::format("#{}", unnamed_++) : cell_of(line, at_->id);
    const bool wide = at_->counter < 0;
    const bool first_unnamed = units_.empty() && cell_of(line, at_->kernel).empty();
    if (is_ncu_ && wide && (id.empty() || first_unnamed)) {
      units_ = std::move(line);
      return;
    }
    if (wide && one_table_) { // the launch is whole
      Launch launch;
      take_line(launch, *at_, line, units_);
      return merge(launch);
    }
    const auto [place, is_new] = known_.try_emplace(id, launches_.size());
    if (is_new) launches_.emplace_back();
    take_line(launches_[place->second], *at_, line, units_);
  }

  [[nodiscard]] Foreign whole() {
    for (Launch& launch : launches_)
      merge(launch);
    return sorted(std::move(all_));
  }

private:
  void look_at(const ProfileTable& table) {
    at_.emplace(table);
    is_ncu_ = table.column("Kernel Name") >= 0;
    source_ = is_ncu_ ? "ncu" : table.column("KernelName") >= 0 ? "rocprof" : "rocprofv3";
    // Tables of several passes, one after the other, have the same launches.
    const std::size_t first = text_.find(table.header_line);
    one_table_ = text_.find(table.header_line, first + 1) == text_.npos;
  }

  ForeignKernel& kernel_of(const std::string& raw_name) {
    const auto [place, is_new] = places_.try_emplace(raw_name, all_.kernels.size());
    if (is_new) {
      ForeignKernel& k = all_.kernels.emplace_back();
      k.name = readable_name(raw_name);
      k.raw_name = raw_name;
    }
    return all_.kernels[place->second];
  }

  void merge(Launch& launch) {
    if (!launch.seconds && launch.counted == 0)
      throw UsageError(fmt::format(
          "the profile has neither times nor counters of {}: record it with {}",
          short_name(launch.kernel),
          is_ncu_ ? "--set full, and print it with --csv --page raw" : "--kernel-trace or --pmc"));
    all_.run.device_name = launch.device;
    ForeignKernel& k = kernel_of(launch.kernel);
    derive_amd(launch.counts);
    if (launch.counts.cache_hits && launch.counts.cache_sectors.value_or(0) > 0)
      launch.counts.cache_hit_rate = *launch.counts.cache_hits / *launch.counts.cache_sectors;
    k.launches += 1;
    const double seconds = launch.seconds.value_or(0);
    k.seconds += seconds;
    k.shortest = k.launches == 1 ? seconds : std::min(k.shortest, seconds);
    if (k.launches > 1 && seconds <= k.launch_seconds.value_or(0)) return;
    k.shape = launch.shape;
    k.counts = launch.counts;
    k.launch_seconds = launch.seconds;
    if (launch.counted > 0) k.counted_by = source_;
  }

  /// A line a kernel, as rocprof --stats and rocprofv3 --stats write them: times alone.
  void take_stats(const ProfileTable& table, const Cells& line) {
    const auto cell = [&](const char* name) { return cell_of(line, table.column(name)); };
    const std::string name = cell("Name");
    if (name.starts_with("hipLaunch") || name.starts_with("hsa_"))
      throw UsageError(fmt::format("the table is of calls such as {}, not of kernels; give "
                                   "*kernel_stats.csv, or results.stats.csv of rocprof",
                                   name));
    const auto calls = number_of(cell("Calls"), "Calls");
    const auto total = number_of(cell(stats_column), stats_column);
    if (name.empty() || !calls || !total || *calls < 1) return;
    ForeignKernel& k = kernel_of(name);
    k.launches += *calls;
    k.seconds += time_of(*total * 1e-9).value_or(0);
    k.shortest = profile_number(cell("MinNs")).value_or(0) * 1e-9;
  }

  std::string_view text_;
  std::optional<Columns> at_;
  bool is_ncu_ = false, one_table_ = false;
  const char* source_ = "";
  Cells units_; ///< of ncu's raw page, the line after the header
  int unnamed_ = 0;
  std::deque<Launch> launches_; ///< many: a vector would hold them twice as it grows
  std::unordered_map<std::string, std::size_t> known_, places_; ///< launches, kernels
  Foreign all_;
};

} // namespace

double Foreign::passed(const ForeignKernel& kernel) const {
  const double whole = kernel_seconds();
  return run.device == "cpu" && run.wall > 0 && whole > 0 ? kernel.seconds / whole * run.wall
                                                          : kernel.mean();
}

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
  Reader reader(text);
  each_profile_line(text, stats_column,
                    [&](const ProfileTable& table, Cells& line) { reader.take(table, line); });
  return reader.whole();
}

std::string readable_name(const std::string& name) {
  if (!name.starts_with("_Z")) return name; // "f" would be "float"
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
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

namespace {

/// "Kokkos ParallelFor of Flux" of
/// "Kokkos::Impl::cuda_parallel_launch...<Kokkos::Impl::ParallelFor< Flux, ...> >"; other names as
/// they are.
std::string without_kokkos(const std::string& name) {
  if (!name.starts_with("Kokkos::Impl::") || name.find("_parallel_launch") == name.npos)
    return name;
  for (const std::string_view pattern : {"ParallelFor", "ParallelReduce", "ParallelScan"}) {
    const std::string mark = fmt::format("Kokkos::Impl::{}<", pattern);
    const std::size_t at = name.find(mark);
    if (at == name.npos) continue;
    std::string_view rest = std::string_view(name).substr(at + mark.size());
    constexpr std::string_view around = "Kokkos::Impl::CombinedFunctorReducer<";
    if (rest.starts_with(around)) rest.remove_prefix(around.size());
    std::size_t end = 0;
    for (int open = 0; end < rest.size(); ++end) {
      const char c = rest[end];
      if (open == 0 && (c == ',' || c == '>')) break;
      open += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
    }
    return fmt::format("Kokkos {} of {}", pattern, rest.substr(0, end));
  }
  return name;
}

} // namespace

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
  text = without_kokkos(text);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  constexpr std::size_t most = 60;
  if (text.size() > most) {
    std::size_t end = most - 3;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) // within a letter of UTF-8
      --end;
    text = text.substr(0, end) + "...";
  }
  return text.empty() ? "(without a name)" : text;
}

} // namespace ridge::doctor
