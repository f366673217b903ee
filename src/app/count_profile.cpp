// `ridge count --from`: profiles of rocprof, rocprofv3 and ncu.
#include "count_profile.hpp"

#include <ridge/core/units.hpp>
#include <ridge/doctor/cause.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/pattern/menu.hpp>
#include <ridge/record/profile.hpp>

#include "../core/refuse.hpp"
#include "counting.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace ridge::app {

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  refuse_if(!in, "--from {}: there is no such file", file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What a launch must at least move; 0 where nothing was said.
struct Least {
  double read = 0, written = 0;
};
Least least_of(const ProfileOptions& o, const KernelOptions& launch) {
  if (o.least_read > 0 || launch.kernel.empty()) return {o.least_read, o.least_written};
  const lab::BenchKernel found = launch.find();
  refuse_if(!found.make_menu,
            "the model does not know the least bytes of {}; give --least-read and --least-written",
            launch.kernel);
  // They are the same on every device, and a profile does not say whose it is.
  const Place place = place_of("mi210");
  lab::BenchRequest request = launch.request(found);
  request.device = place.device;
  const model::Facts facts = found.make_menu(request, place)->predict(request.schedule).facts;
  return {facts.least_read, facts.least_written};
}

/// The doctor's causes that the counters show.
std::vector<const doctor::Cause*> causes_of(const ProfiledKernel& kernel, const Least& least) {
  std::vector<const doctor::Cause*> found;
  const auto look = [&](const char* name, bool shown) {
    if (shown) found.push_back(&doctor::find_cause(name));
  };
  const double again = least.read > 0 ? kernel.counters.bytes_read / least.read - 1 : 0;
  look("cache-overflow", doctor::find_cause("cache-overflow").found(again));
  look("spilled-registers", kernel.use.scratch_bytes.value_or(0) > 0);
  const double lanes = kernel.use.active_lanes.value_or(1);
  look("divergent-branches",
       lanes > 0 && doctor::find_cause("divergent-branches").found(1 / lanes));
  return found;
}

/// "28 registers, 0 B of LDS"
std::string use_text(const ProfiledUse& use) {
  std::string text;
  const auto add = [&](const std::optional<double>& value, const char* form, double unit = 1) {
    if (!value) return;
    text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), *value * unit);
  };
  add(use.registers, "{:.0f} registers");
  add(use.lds_bytes, "{:.0f} B of LDS");
  add(use.scratch_bytes, "{:.0f} B of scratch");
  add(use.waves, "{:.0f} waves");
  add(use.busy, "vector units busy {:.1f} %", 100);
  add(use.active_lanes, "{:.1f} % of lanes active", 100);
  return text;
}

} // namespace

void ProfileOptions::add_to(const Command& command) {
  command.add("--from", &from,
              "counters of a profile: rocprof's results.csv, rocprofv3's counter_collection.csv, "
              "or what ncu --csv printed");
  command.add("--kernel", &kernel, "with --from: the kernel's name there, or a part of it");
  command.add("--least-read", &least_read, "with --from: bytes that a launch must read at least");
  command.add("--least-written", &least_written, "with --from: bytes that it must write at least");
}

void print_profile(const ProfileOptions& o, const KernelOptions& launch, bool json) {
  const Least least = least_of(o, launch);
  const auto kernels = read_profile(text_of(o.from));
  const ProfiledKernel& found = find_profiled(kernels, o.kernel);
  const Counters& c = found.counters;
  const double bandwidth =
      found.seconds && least.read > 0 ? (least.read + least.written) / found.seconds->value : 0;
  if (json) {
    nlohmann::ordered_json out{{"kernel", launch.kernel},    {"profiled", found.name},
                               {"launches", found.launches}, {"source", c.source},
                               {"bytes_read", c.bytes_read}, {"bytes_written", nullptr},
                               {"hit_rate", nullptr}};
    if (c.bytes_written) out["bytes_written"] = *c.bytes_written;
    if (c.hit_rate) out["hit_rate"] = *c.hit_rate;
    if (least.read > 0) {
      out["least_read"] = least.read;
      out["fetch_efficiency"] = least.read / c.bytes_read;
    }
    if (found.seconds) out["seconds"] = found.seconds->value;
    if (bandwidth > 0) out["achieved"] = bandwidth;
    const auto add = [&](const char* name, const std::optional<double>& value) {
      if (value) out[name] = *value;
    };
    add("registers", found.use.registers);
    add("lds_bytes", found.use.lds_bytes);
    add("scratch_bytes", found.use.scratch_bytes);
    add("waves", found.use.waves);
    add("vector_busy", found.use.busy);
    add("active_lanes", found.use.active_lanes);
    for (const doctor::Cause* cause : causes_of(found, least))
      out["causes"].push_back(cause->name);
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("{}: {} launches, read {}, written {}, hit rate {} (counted by {})\n", found.name,
             found.launches, quantity(c.bytes_read, "B"),
             c.bytes_written ? quantity(*c.bytes_written, "B") : "-",
             c.hit_rate ? fmt::format("{:.1f} %", 100 * *c.hit_rate) : "-", c.source);
  if (least.read > 0) {
    fmt::print("fetch efficiency {:.1f} %: at least {} must be read\n",
               100 * least.read / c.bytes_read, quantity(least.read, "B"));
  }
  if (bandwidth > 0) {
    fmt::print("{} a launch, figure of merit {}\n", to_text(*found.seconds),
               quantity(bandwidth, "B/s"));
  }
  if (found.use.any()) fmt::print("{}\n", use_text(found.use));
  for (const doctor::Cause* cause : causes_of(found, least))
    fmt::print("{}: {}; {}\n", cause->name, cause->title, cause->action);
}

} // namespace ridge::app
