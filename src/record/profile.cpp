// Profiles of rocprof, rocprofv3 and ncu.
#include <ridge/core/error.hpp>
#include <ridge/record/profile.hpp>
#include <ridge/record/profile_table.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ridge {

namespace {

using Cells = std::vector<std::string>;

/// What one of a metric's unit is, in bytes, seconds or of 1.
double profile_unit(const std::string& unit) {
  static const std::map<std::string, double> units{
      {"byte", 1},       {"Kbyte", 1e3},    {"Mbyte", 1e6}, {"Gbyte", 1e9},    {"sector", 1},
      {"", 1},           {"nsecond", 1e-9}, {"ns", 1e-9},   {"usecond", 1e-6}, {"us", 1e-6},
      {"msecond", 1e-3}, {"ms", 1e-3},      {"second", 1},  {"s", 1},          {"%", 1e-2}};
  const auto found = units.find(unit);
  refuse_if(found == units.end(), "the profile has a counter in '{}', which is no unit known here",
            unit);
  return found->second;
}

/// What a counter of some profiler is: what it counts, and in which unit where it is always the
/// same.
struct CounterMeaning {
  enum What { read, written, hit_rate, sectors, hits, seconds } what;
  double unit = 0; ///< 0: as the profile says
};
const CounterMeaning* meaning_of(const std::string& counter) {
  static const std::map<std::string, CounterMeaning> known{
      {"FETCH_SIZE", {CounterMeaning::read, 1024}},
      {"WRITE_SIZE", {CounterMeaning::written, 1024}},
      {"L2CacheHit", {CounterMeaning::hit_rate, 0.01}},
      {"DurationNs", {CounterMeaning::seconds, 1e-9}},
      {"dram__bytes_read.sum", {CounterMeaning::read}},
      {"dram__bytes_write.sum", {CounterMeaning::written}},
      {"lts__t_sectors.sum", {CounterMeaning::sectors}},
      {"lts__t_sectors_lookup_hit.sum", {CounterMeaning::hits}},
      {"lts__t_sector_hit_rate.pct", {CounterMeaning::hit_rate, 0.01}},
      {"gpu__time_duration.sum", {CounterMeaning::seconds}}};
  const auto found = known.find(counter);
  return found == known.end() ? nullptr : &found->second;
}

/// What a column or counter says of a launch's use of the device, and the unit of one.
struct UseMeaning {
  std::optional<double> ProfiledUse::*member;
  double unit = 1;
};
const UseMeaning* use_of(const std::string& counter) {
  using U = ProfiledUse;
  static const std::map<std::string, UseMeaning> known{
      {"vgpr", {&U::registers}},
      {"arch_vgpr", {&U::registers}},
      {"VGPR_Count", {&U::registers}},
      {"launch__registers_per_thread", {&U::registers}},
      {"lds", {&U::lds_bytes}},
      {"LDS_Block_Size", {&U::lds_bytes}},
      {"scr", {&U::scratch_bytes}},
      {"Scratch_Size", {&U::scratch_bytes}},
      {"Wavefronts", {&U::waves}},
      {"SQ_WAVES", {&U::waves}},
      {"VALUBusy", {&U::busy, 0.01}},
      {"VALUUtilization", {&U::active_lanes, 0.01}},
      {"smsp__thread_inst_executed_per_inst_executed.ratio", {&U::active_lanes, 1.0 / 32}}};
  const auto found = known.find(counter);
  return found == known.end() ? nullptr : &found->second;
}

/// ProfileSums over the launches of a kernel.
struct ProfileSums {
  std::map<CounterMeaning::What, double> of;
  std::set<std::string> launches;
  [[nodiscard]] std::optional<double> mean(CounterMeaning::What what) const {
    const auto found = of.find(what);
    if (found == of.end()) return std::nullopt;
    return found->second / static_cast<double>(launches.size());
  }
};

class ProfileReader {
public:
  void add(const std::string& kernel, const std::string& launch, const std::string& counter,
           const std::string& value, const std::string& unit) {
    if (const UseMeaning* const use = use_of(counter)) {
      // The last launch speaks for all: they are launches of one kernel.
      if (const auto found = profile_number(value)) uses_[kernel].*use->member = *found * use->unit;
      return;
    }
    const CounterMeaning* const meaning = meaning_of(counter);
    if (meaning == nullptr) return;
    const auto found = profile_number(value);
    refuse_if(!found, "the profile has '{}' where {} of {} should be", value, counter, kernel);
    if (!sums_.contains(kernel)) order_.push_back(kernel);
    ProfileSums& sums = sums_[kernel];
    sums.launches.insert(launch);
    sums.of[meaning->what] += *found * (meaning->unit > 0 ? meaning->unit : profile_unit(unit));
  }
  [[nodiscard]] std::vector<ProfiledKernel> kernels(const std::string& source) const {
    std::vector<ProfiledKernel> all;
    for (const std::string& name : order_) {
      const ProfileSums& sums = sums_.at(name);
      const auto read = sums.mean(CounterMeaning::read);
      refuse_if(!read, "the profile lacks bytes read of {}: FETCH_SIZE, or dram__bytes_read.sum",
                name);
      ProfiledKernel kernel{
          name, static_cast<int>(sums.launches.size()), {source, *read, {}, {}}, {}};
      kernel.counters.bytes_written = sums.mean(CounterMeaning::written);
      kernel.counters.hit_rate = sums.mean(CounterMeaning::hit_rate);
      const auto sectors = sums.mean(CounterMeaning::sectors);
      const auto hits = sums.mean(CounterMeaning::hits);
      if (sectors && hits && *sectors > 0) kernel.counters.hit_rate = *hits / *sectors;
      if (const auto seconds = sums.mean(CounterMeaning::seconds))
        kernel.seconds = Seconds{*seconds};
      if (const auto use = uses_.find(name); use != uses_.end()) kernel.use = use->second;
      all.push_back(std::move(kernel));
    }
    refuse_if(all.empty(),
              "the profile has none of the counters FETCH_SIZE, WRITE_SIZE, L2CacheHit of rocprof, "
              "dram__bytes_read.sum, dram__bytes_write.sum of ncu");
    return all;
  }

private:
  std::map<std::string, ProfileSums> sums_;
  std::map<std::string, ProfiledUse> uses_;
  std::vector<std::string> order_;
};

} // namespace

std::vector<ProfiledKernel> read_profile(std::string_view text) {
  const ProfileTable table = read_profile_table(text);
  const int of_rocprof = table.column("KernelName");
  const int of_v3 = table.column("Kernel_Name");
  const int name = std::max({of_rocprof, of_v3, table.column("Kernel Name")});
  const int counter = std::max(table.column("Counter_Name"), table.column("Metric Name"));
  const int value = std::max(table.column("Counter_Value"), table.column("Metric Value"));
  const int unit = table.column("Metric Unit");
  const int id = std::max({table.column("Index"), table.column("Dispatch_Id"), table.column("ID")});
  const auto cell = [](const Cells& line, int at) {
    return at < 0 ? std::string() : line[static_cast<std::size_t>(at)];
  };
  const int start = table.column("Start_Timestamp");
  const int end = table.column("End_Timestamp");
  std::set<std::string> timed; // launches, of which each line has the times
  ProfileReader reader;
  Cells units; // of ncu's raw page, the line after the header
  int count = 0;
  for (const Cells& line : table.lines) {
    const std::string launch = id < 0 ? std::to_string(count++) : cell(line, id);
    if (counter >= 0) {
      reader.add(cell(line, name), launch, cell(line, counter), cell(line, value),
                 cell(line, unit));
      for (const char* const column : {"VGPR_Count", "LDS_Block_Size", "Scratch_Size"}) {
        const int at = table.column(column);
        if (at >= 0) reader.add(cell(line, name), launch, column, cell(line, at), "");
      }
      const auto from = profile_number(cell(line, start));
      const auto to = profile_number(cell(line, end));
      if (from && to && timed.insert(launch).second) {
        reader.add(cell(line, name), launch, "DurationNs", fmt::format("{}", *to - *from), "");
      }
      continue;
    }
    if (of_rocprof < 0 && launch.empty()) {
      units = line;
      continue;
    }
    for (std::size_t i = 0; i < line.size(); ++i)
      reader.add(cell(line, name), launch, table.header[i], line[i], units.empty() ? "" : units[i]);
  }
  return reader.kernels(of_rocprof >= 0 ? "rocprof" : of_v3 >= 0 ? "rocprofv3" : "ncu");
}

const ProfiledKernel& find_profiled(const std::vector<ProfiledKernel>& kernels,
                                    std::string_view name) {
  std::vector<const ProfiledKernel*> found;
  std::string names;
  for (const ProfiledKernel& kernel : kernels) {
    names += fmt::format("{}{}", names.empty() ? "" : "; ", kernel.name);
    if (kernel.name == name) return kernel;
    if (kernel.name.find(name) != std::string::npos) found.push_back(&kernel);
  }
  if (found.size() == 1) return *found.front();
  throw UsageError(fmt::format("{} kernels of the profile are called '{}'; name one of: {}",
                               found.empty() ? "no" : std::to_string(found.size()), name, names));
}

Counters counted_since_fill(std::string_view text) {
  const ProfileTable table = read_profile_table(text);
  const int of_rocprof = table.column("KernelName");
  const int name = std::max(of_rocprof, table.column("Kernel_Name"));
  const int id = std::max(table.column("Index"), table.column("Dispatch_Id"));
  const int counter = table.column("Counter_Name");
  const int value = table.column("Counter_Value");
  if (name < 0 || id < 0) throw Failure("the profile does not number its launches");
  const auto number_of = [&](const Cells& line) {
    return profile_number(line[static_cast<std::size_t>(id)]).value_or(-1);
  };
  double last_fill = -1;
  for (const Cells& line : table.lines) {
    if (line[static_cast<std::size_t>(name)].find("fill") != std::string::npos)
      last_fill = std::max(last_fill, number_of(line));
  }
  std::map<CounterMeaning::What, double> sums;
  std::set<double> launches;
  const auto add = [&](const std::string& what, const std::string& much) {
    const CounterMeaning* const meaning = meaning_of(what);
    const auto found = profile_number(much);
    if (meaning != nullptr && found) sums[meaning->what] += *found * meaning->unit;
  };
  for (const Cells& line : table.lines) {
    if (last_fill < 0 || number_of(line) <= last_fill) continue;
    launches.insert(number_of(line));
    if (counter >= 0) {
      add(line[static_cast<std::size_t>(counter)], line[static_cast<std::size_t>(value)]);
      continue;
    }
    for (std::size_t i = 0; i < line.size(); ++i)
      add(table.header[i], line[i]);
  }
  fail_if(!sums.contains(CounterMeaning::read),
          "the profile shows no launch with FETCH_SIZE behind a fill of memory");
  Counters all{of_rocprof >= 0 ? "rocprof" : "rocprofv3", sums[CounterMeaning::read], {}, {}};
  if (sums.contains(CounterMeaning::written)) all.bytes_written = sums[CounterMeaning::written];
  if (sums.contains(CounterMeaning::hit_rate))
    all.hit_rate = sums[CounterMeaning::hit_rate] / static_cast<double>(launches.size());
  return all;
}

std::string rocprof_input(std::string_view kernel) {
  std::string text = "pmc : FETCH_SIZE\npmc : WRITE_SIZE\npmc : L2CacheHit\n"
                     "pmc : VALUBusy VALUUtilization Wavefronts\n";
  if (!kernel.empty()) text += fmt::format("kernel: {}\n", kernel);
  return text;
}

} // namespace ridge
