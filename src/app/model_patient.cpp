#include "model_patient.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/doctor/diagnosis.hpp>
#include <ridge/lab/table.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace ridge::app {

namespace {

using nlohmann::ordered_json;

doctor::Examination examination(const lab::BenchKernel& kernel, const KernelOptions& launch,
                                const std::string& on) {
  const auto make = [&](const Device& device, const model::Description& description, bool here) {
    return doctor::Examination{device,
                               description,
                               here || !facts_of(device).takes_gpu_schedules,
                               launch.extents(kernel),
                               launch.digits(kernel),
                               launch.site,
                               launch.operations};
  };
  if (model::names_device_here(on)) {
    const Device device = named_device(on);
    return make(device, model::description_of(device.facts(), device.kind()), true);
  }
  const model::Description d = model::find_description(on);
  // Schedules of one cpu are those of another.
  return make(Device(!d.is_gpu() ? "cpu" : d.warp_width == 64 ? "simt:64" : "simt:32"), d, false);
}

/// A launch under a schedule.
struct Modelled {
  doctor::Prescription schedule;
  doctor::Facts facts;
  Counters moved;
  double low = 0; ///< bytes fetched; no more than `moved` has, as all of it is fetched once
  std::optional<model::Time> time;
  std::string cause;
};

Modelled model_of(const doctor::Patient& patient, const doctor::Prescription& s) {
  Modelled m{s, patient.facts(s.schedule), {}, 0, {}, "none"};
  m.moved = doctor::modelled_counters(m.facts);
  m.low = m.facts.in_cache ? 0 : m.moved.bytes_read; // what fits may be there from a run before
  // What a cpu draws is not known of every one.
  if (m.facts.device.copy_bytes_per_second > 0) m.time = doctor::time_of(m.facts);
  if (const auto causes = doctor::diagnose(m.facts); m.time && !causes.empty())
    m.cause = fmt::format("{}: {}", causes.front().cause->name, causes.front().cause->title);
  return m;
}

ordered_json to_json(const Modelled& m, const lab::BenchKernel& kernel,
                     const doctor::Examination& e, const std::string& on) {
  auto sizes = ordered_json::array();
  for (int d = 0; d < e.size.rank(); ++d)
    sizes.push_back(e.size[d]);
  ordered_json o{{"pattern", kernel.pattern},
                 {"kernel", kernel.name},
                 {"device", model::names_device_here(on) ? to_text(e.device.id()) : on},
                 {"device_name", e.description.name},
                 {"precision", e.precision},
                 {"size", sizes},
                 {"schedule", m.schedule.schedule}};
  if (!m.schedule.name.empty()) o["schedule_name"] = m.schedule.name;
  o["modelled"] = true;
  o["bytes_read"] = std::llround(m.facts.least_read);
  o["bytes_written"] = std::llround(m.facts.least_written);
  o["fetched_bytes"] = std::llround(m.moved.bytes_read);
  o["written_bytes"] = std::llround(m.moved.bytes_written.value_or(0));
  o["fetched_low"] = std::llround(m.low);
  o["fetched_high"] = std::llround(m.moved.bytes_read);
  o["hit_rate"] = m.moved.hit_rate ? ordered_json(*m.moved.hit_rate) : ordered_json(nullptr);
  o["cause"] = m.cause;
  if (m.time) {
    o["seconds"] = m.time->seconds.value;
    o["roof_name"] = m.time->roof;
  }
  return o;
}

std::vector<std::string> row(const Modelled& m) {
  const auto bytes = [](double value) { return quantity(value, "B"); };
  const double fetched = m.moved.bytes_read;
  return {bytes(fetched),
          bytes(m.moved.bytes_written.value_or(0)),
          fetched > 0 ? fmt::format("{:.1f} %", 100 * m.facts.least_read / fetched) : "-",
          m.moved.hit_rate ? fmt::format("{:.1f} %", 100 * *m.moved.hit_rate) : "-",
          bytes(m.low) + " to " + bytes(fetched),
          m.time ? to_text(m.time->seconds) : "-",
          m.time ? m.time->roof : "-",
          (m.schedule.name.empty() ? "" : m.schedule.name + ": ") + m.schedule.schedule,
          m.cause};
}

} // namespace

void print_patient_model(const KernelOptions& launch, const std::string& on, bool json) {
  const lab::BenchKernel kernel = launch.find();
  if (!kernel.make_patient || (kernel.pattern != "lattice" && kernel.pattern != "chain")) {
    throw UsageError(fmt::format("the model knows stencils, lattices and chains; {} is of the "
                                 "pattern {}",
                                 kernel.name, kernel.pattern));
  }
  if (launch.schedule == "space")
    throw UsageError("--schedule space is for stencils; give all, a name or fields");
  const doctor::Examination e = examination(kernel, launch, on);
  const auto patient = kernel.make_patient(e);
  const auto asked = launch.schedule == "all"
                         ? patient->named()
                         : std::vector<doctor::Prescription>{patient->parse(launch.schedule)};
  auto array = ordered_json::array();
  lab::Table table({"fetched", "written", "least", "hit rate", "fetched, low to high", "time",
                    "roof", "schedule", "cause"});
  for (const doctor::Prescription& s : asked) {
    const Modelled m = model_of(*patient, s);
    if (json) {
      array.push_back(to_json(m, kernel, e, on));
    } else {
      table.add(row(m));
    }
  }
  if (json) {
    fmt::print("{}\n", array.dump(2));
    return;
  }
  fmt::print("{} {} {} modelled on {}\n{}", kernel.name, to_text(e.size), e.precision,
             e.description.name, table.text());
}

} // namespace ridge::app
