// `ridge model`: what a launch moves on a described device, without that device.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/stencil/model_access.hpp>
#include <ridge/stencil/over_ranks.hpp>

#include "commands.hpp"
#include "counting.hpp"
#include "interrupt.hpp"
#include "model_patient.hpp"
#include "model_published.hpp"
#include "model_ranks.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

using nlohmann::ordered_json;
using stencil::NamedSchedule;
using stencil::Prediction;
using stencil::Schedule;

/// Where the model looks: a device that is here, or one that is only described.
struct Target {
  model::Description description;
  std::optional<Device> device;
};

Target target_of(const std::string& text) {
  if (!model::names_device_here(text)) {
    const model::Description described = model::find_description(text);
    if (described.is_gpu()) return {described, std::nullopt};
    return {described, Device("cpu")}; // schedules of one cpu are those of another
  }
  Device device(text == "auto" ? best_device() : parse_device(text));
  return {model::description_of(device.facts(), device.kind()), device};
}

/// The kernels of the series have names on any GPU; the emulated one is everywhere.
std::vector<NamedSchedule> names_for(const Target& target) {
  return stencil::named_schedules(target.device ? *target.device : Device("simt:64"));
}

/// The schedule that `auto` means: the default of a device that is here, else the model's choice.
Schedule default_for(const Target& target, const stencil::Traits& traits, Index3 n) {
  if (target.device) return stencil::default_schedule(*target.device, traits, n);
  return stencil::model_choice(traits, n, target.description);
}

/// One schedule as the user wrote it. On a device that is only described, fields alone change
/// kernel1.
NamedSchedule parse(const std::string& asked, const Target& target, const stencil::Traits& traits,
                    Index3 n) {
  const bool automatic =
      asked.find_first_not_of(' ') == std::string::npos || asked.find("auto") == 0;
  const Schedule standard =
      target.device || automatic ? default_for(target, traits, n) : stencil::GpuSchedule{};
  NamedSchedule parsed = text::parse_named(asked, target.description.name, standard,
                                           [&] { return names_for(target); });
  if (!target.device && parsed.name == "default") parsed.name = "model";
  return parsed;
}

std::vector<NamedSchedule> schedules_of(const std::string& asked, const Target& target,
                                        const stencil::Traits& traits, Index3 n) {
  std::vector<NamedSchedule> schedules;
  if (asked == "space") {
    if (target.description.is_gpu()) {
      for (auto& s : stencil::model_space(traits, target.description))
        schedules.push_back({"", s});
    } else {
      for (auto& s : stencil::schedule_space(*target.device, traits))
        schedules.push_back({"", s});
    }
    return schedules;
  }
  if (asked == "all") schedules = names_for(target);
  schedules.push_back(parse(asked == "all" ? "auto" : asked, target, traits, n));
  return schedules;
}

struct ModelCommand {
  std::string kernel;
  std::string on = "auto";
  std::string size;
  std::string precision;
  std::string schedule = "auto";
  std::string figure;
  std::string network;
  std::string site;
  std::vector<std::string> settings;
  int operations = 10;
  std::optional<Index> ranks;
  bool published = false;
  bool compare = false;
  bool json = false;

  void run() const {
    if (published) {
      if (!kernel.empty()) {
        throw UsageError("--published compares the AMD series; it takes no KERNEL");
      }
      print_published(figure, json);
      return;
    }
    if (compare && !model::names_device_here(on)) {
      throw UsageError("--compare counts what launches move, which takes a device here: give --on "
                       "cpu or cuda:0");
    }
    if (!figure.empty()) throw UsageError("--figure goes with --published");
    if (kernel.empty()) {
      throw UsageError("model takes a KERNEL, such as laplacian, or --published; see --help");
    }
    const std::optional<Stencil> found = find_stencil();
    if (!site.empty() && found)
      throw UsageError(fmt::format("--site is for lattice kernels; {} is not one", kernel));
    if (ranks.has_value() != !network.empty())
      throw UsageError("--ranks and --network go together: how many, and what messages cost");
    if (!found && (ranks || compare)) {
      throw UsageError(fmt::format("{} is for stencils; {} is of the pattern {}",
                                   ranks ? "--ranks" : "--compare", kernel,
                                   lab::find_kernel(kernel, settings).pattern));
    }
    if (ranks) {
      predict_over_ranks(*found);
    } else if (!found) {
      print_patient_model(
          {kernel, {}, size, precision, schedule, site, settings, operations}, on, json);
    } else {
      predict_kernel(*found);
    }
  }

private:
  /// A built-in stencil, or one in a user's file: what it reads in fields of so many dimensions.
  struct Stencil {
    std::function<stencil::Traits(std::string_view precision, int rank)> traits;
    Extents usual; ///< extents where none are given
  };

  /// Nothing for kernels of other patterns. Throws UsageError for what is no kernel at all.
  [[nodiscard]] std::optional<Stencil> find_stencil() const {
    const Extents cube{512, 512, 512};
    if (lab::is_stencil(kernel)) {
      (void)lab::find_kernel(kernel, settings); // refuses settings
      return Stencil{[name = kernel](std::string_view of, int rank) {
                       return lab::stencil_traits(name, of, rank);
                     },
                     cube};
    }
    if (!lab::names_a_file(kernel)) return {};
    std::vector<lab::Setting> numbers;
    for (const std::string& text : settings)
      numbers.push_back(lab::parse_setting(text));
    const lab::UserKernel found = lab::load_user_kernel(kernel, numbers);
    if (!found.traits) return {};
    const int rank = found.bench.default_size.rank();
    return Stencil{[traits = found.traits](std::string_view of, int /*rank*/) {
                     return traits(of);
                   },
                   rank == 3 ? cube : found.bench.default_size};
  }
  [[nodiscard]] std::string digits() const { return precision.empty() ? "fp64" : precision; }
  [[nodiscard]] Extents extents_for(const Stencil& found) const {
    return size.empty() ? found.usual : parse_extents(size, "--size");
  }

  void predict_over_ranks(const Stencil& found) const {
    constexpr Index most = 1 << 20;
    if (*ranks < 1 || *ranks > most)
      throw UsageError(fmt::format("--ranks {}: give 1 to {}", *ranks, most));
    if (schedule == "all" || schedule == "space")
      throw UsageError("--ranks takes one schedule; give auto, a name or fields");
    const Extents extents = extents_for(found);
    const stencil::Traits traits = found.traits(digits(), extents.rank());
    check_size(traits, extents);
    const Target target = target_of(on);
    const auto launch = [&](Index3 n) {
      const NamedSchedule s = parse(schedule, target, traits, n);
      const Prediction p = stencil::predict(traits, s.schedule, n, target.description);
      if (!p.time) {
        throw UsageError(
            fmt::format("--on {}: the model knows no ceilings of it, so no times; name "
                        "a described device",
                        on));
      }
      return p.time->seconds;
    };
    const auto steps =
        predict_ranks(static_cast<int>(*ranks), extents.xyz(), stencil::reach_of(traits.footprints),
                      traits.element_bytes * traits.inputs(), read_network(network), launch);
    auto array = ordered_json::array();
    lab::Table table({"ranks", "grid", "compute", "exchange", "step", "strong", "weak"});
    for (const RankStep& s : steps) {
      array.push_back({{"kernel", kernel},
                       {"device_name", target.description.name},
                       {"precision", digits()},
                       {"ranks", s.ranks},
                       {"rank_grid", comm::to_text(s.grid)},
                       {"modelled", true},
                       {"compute_seconds", s.compute.value},
                       {"exchange_seconds", s.exchange.value},
                       {"seconds", s.step.value},
                       {"strong_efficiency", s.strong},
                       {"weak_efficiency", s.weak}});
      table.add({std::to_string(s.ranks), comm::to_text(s.grid), to_text(s.compute),
                 to_text(s.exchange), to_text(s.step), fmt::format("{:.3f}", s.strong),
                 fmt::format("{:.3f}", s.weak)});
    }
    if (json) {
      fmt::print("{}\n", array.dump(2));
      return;
    }
    fmt::print("{} {} {} modelled on {}, one a rank\n{}", kernel, to_text(extents), digits(),
               target.description.name, table.text());
  }

  void predict_kernel(const Stencil& found) const {
    const Extents extents = extents_for(found);
    const stencil::Traits traits = found.traits(digits(), extents.rank());
    check_size(traits, extents);
    const Target target = target_of(on);
    if (compare) {
      compare_with_counters(traits, extents, target);
      return;
    }
    auto array = ordered_json::array();
    lab::Table table({"fetched", "written", "least", "hit rate", "fetched, low to high", "time",
                      "roof", "schedule", "cause"});
    const Index3 n = extents.xyz();
    const Work work = stencil::work_of(traits, n);
    for (const NamedSchedule& s : schedules_of(schedule, target, traits, n)) {
      const Prediction p = stencil::predict(traits, s.schedule, n, target.description);
      if (json) {
        array.push_back(to_json(s, p, extents, work, target));
      } else {
        table.add(row(s, p, work));
      }
    }
    if (json) {
      fmt::print("{}\n", array.dump(2));
      return;
    }
    fmt::print("{} {} {} modelled on {}\n{}", kernel, to_text(extents), digits(),
               target.description.name, table.text());
  }

  /// Each schedule modelled and counted, and how far the model is off.
  void compare_with_counters(const stencil::Traits& traits, const Extents& extents,
                             const Target& target) const {
    const Index3 n = extents.xyz();
    const Work work = stencil::work_of(traits, n);
    auto array = ordered_json::array();
    lab::Table table(
        {"fetched", "counted", "error", "written", "counted", "hit rate", "counted", "schedule"});
    std::vector<double> errors;
    std::string source;
    for (const NamedSchedule& s : schedules_of(schedule, target, traits, n)) {
      check_interrupt();
      const Prediction p = stencil::predict(traits, s.schedule, n, target.description);
      const std::string fields = stencil::to_text(s.schedule);
      const Counters c = count_launch({kernel, to_text(target.device->id()), to_text(extents),
                                       digits(), fields, {}, settings});
      source = c.source;
      errors.push_back(p.traffic.fetched / c.bytes_read - 1);
      ordered_json o = to_json(s, p, extents, work, target);
      o["counters"] = {{"source", c.source}, {"bytes_read", c.bytes_read}};
      if (c.bytes_written) o["counters"]["bytes_written"] = *c.bytes_written;
      if (c.hit_rate) o["counters"]["hit_rate"] = *c.hit_rate;
      o["fetched_error"] = errors.back();
      array.push_back(o);
      const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
      table.add({quantity(p.traffic.fetched, "B"), quantity(c.bytes_read, "B"),
                 fmt::format("{:+.1f} %", 100 * errors.back()), quantity(p.traffic.written, "B"),
                 c.bytes_written ? quantity(*c.bytes_written, "B") : "-",
                 percent(p.traffic.hit_rate()), c.hit_rate ? percent(*c.hit_rate) : "-",
                 (s.name.empty() ? "" : s.name + ": ") + fields});
    }
    if (json) {
      fmt::print("{}\n", array.dump(2));
      return;
    }
    for (double& error : errors)
      error = std::abs(error);
    std::sort(errors.begin(), errors.end());
    fmt::print(
        "{} {} {} on {}, modelled and counted by {}\n{}median error of bytes fetched: {:.1f} "
        "%, largest {:.1f} %\n",
        kernel, to_text(extents), digits(), target.description.name, source, table.text(),
        100 * errors[errors.size() / 2], 100 * errors.back());
  }

  static void check_size(const stencil::Traits& traits, const Extents& extents) {
    if (extents.count() > Index{1} << 56) {
      throw UsageError(
          fmt::format("--size {}: a field may have up to 2^56 points here", to_text(extents)));
    }
    if (stencil::interior_points(traits, extents.xyz()) == 0) {
      const auto& r = traits.radius;
      throw UsageError(fmt::format("--size {}: the kernel writes no point; each extent must be "
                                   "larger than twice its radius, {}x{}x{}",
                                   to_text(extents), r.x, r.y, r.z));
    }
  }

  [[nodiscard]] ordered_json to_json(const NamedSchedule& s, const Prediction& p,
                                     const Extents& extents, const Work& work,
                                     const Target& target) const {
    auto sizes = ordered_json::array();
    for (int d = 0; d < extents.rank(); ++d)
      sizes.push_back(extents[d]);
    ordered_json o{{"pattern", "stencil"},
                   {"kernel", kernel},
                   {"device", target.device && model::names_device_here(on)
                                  ? to_text(target.device->id())
                              : target.description.key.empty() ? on
                                                               : target.description.key},
                   {"device_name", target.description.name},
                   {"precision", digits()},
                   {"size", sizes},
                   {"schedule", stencil::to_text(s.schedule)}};
    if (!s.name.empty()) o["schedule_name"] = s.name;
    o["modelled"] = true;
    o["bytes_read"] = work.read.value;
    o["bytes_written"] = work.written.value;
    o["fetched_bytes"] = std::llround(p.traffic.fetched);
    o["written_bytes"] = std::llround(p.traffic.written);
    o["fetched_low"] = std::llround(p.traffic.fetched_low);
    o["fetched_high"] = std::llround(p.traffic.fetched_high);
    o["hit_rate"] = p.traffic.hit_rate();
    o["cause"] = p.traffic.cause;
    if (p.time) {
      o["seconds"] = p.time->seconds.value;
      o["roof_name"] = p.time->roof;
    }
    return o;
  }

  static std::vector<std::string> row(const NamedSchedule& s, const Prediction& p,
                                      const Work& work) {
    const auto bytes = [](double value) { return quantity(value, "B"); };
    const double least = static_cast<double>(work.read.value);
    const std::string name = s.name.empty() ? "" : s.name + ": ";
    return {bytes(p.traffic.fetched),
            bytes(p.traffic.written),
            fmt::format("{:.1f} %", 100 * least / p.traffic.fetched),
            fmt::format("{:.1f} %", 100 * p.traffic.hit_rate()),
            bytes(p.traffic.fetched_low) + " to " + bytes(p.traffic.fetched_high),
            p.time ? to_text(p.time->seconds) : "-",
            p.time ? p.time->roof : "-",
            name + stencil::to_text(s.schedule),
            p.traffic.cause};
  }
};

/// What may be here, but the emulated GPU.
std::string devices() {
  std::string list;
  for (const KindFacts* const kind : kinds()) {
    if (!kind->is_emulated) list += (list.empty() ? "" : ", ") + forms_of(*kind);
  }
  return list;
}

std::string described() {
  std::string list;
  for (const std::string& key : model::shipped_descriptions())
    list += (list.empty() ? "" : ", ") + key;
  return list;
}

} // namespace

void add_model(CommandLine& line) {
  const Command command = line.add_command(
      "model", "predict a kernel's traffic, and why it is more than the least, without running it");
  auto o = std::make_shared<ModelCommand>();
  command.add("KERNEL", &o->kernel,
              "a built-in stencil, lattice kernel or chain, or FILE.hpp:Name of your own");
  command.add("--on", &o->on,
              "a device here (" + devices() + "), one described (" + described() +
                  ") or a file of constants, FILE.json");
  command.add("--size", &o->size, "NXxNYxNZ, NXxNY or N");
  command.add("--precision", &o->precision, "fp32 or fp64");
  command.add("--schedule", &o->schedule,
              "auto; all: those with names and the model's choice; space: every combination; a "
              "name; or fields such as 'tile=4 store=nontemporal'");
  command.add("--site", &o->site,
              "lattice kernels: propagator, spinor, matrix, vector, complex or real");
  command.add("--operations", &o->operations, "operations of a chain, 1 to 32");
  command.add("--set", &o->settings,
              "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated");
  command.add("--compare", &o->compare,
              "count what each launch moves as well (ridge count), on a device here");
  command.add("--published", &o->published,
              "compare the model with the published figures of the AMD Laplacian series");
  command.add("--figure", &o->figure,
              "with --published: a table of figures of merit of kernel 5, FILE.csv");
  command.add("--ranks", &o->ranks,
              "predict steps over 1, 2, 4, ... ranks up to so many, each with such a device");
  command.add("--network", &o->network,
              "with --ranks: what messages cost, FILE.json of `mpirun -n 2 ridge roof --json`");
  command.add("--json", &o->json, "print JSON");
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
