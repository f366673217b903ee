// `ridge model`: what a launch moves on a described device, without that device.
#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>
#include <ridge/core/units.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/doctor/diagnosis.hpp>
#include <ridge/lab/table.hpp>

#include "../core/refuse.hpp"
#include "commands.hpp"
#include "counting.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "model_published.hpp"
#include "model_ranks.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

using nlohmann::ordered_json;

/// A launch under a schedule.
struct Modelled {
  NamedText schedule;
  Extents size;
  model::Prediction p;
  std::string cause;

  [[nodiscard]] const model::Traffic& traffic() const { return p.traffic; }
  /// Of all that was asked of the cache, what did not go to memory.
  [[nodiscard]] std::string hits() const {
    return fmt::format("{:.1f} %", 100 * traffic().hit_rate());
  }
  [[nodiscard]] std::string named_text() const {
    return (schedule.name.empty() ? "" : schedule.name + ": ") + schedule.text;
  }
};

std::string bytes_text(double bytes) {
  return quantity(bytes, "B");
}

struct ModelCommand {
  KernelOptions launch;
  std::string on = "auto";
  std::string figure;
  std::string network;
  std::optional<Index> ranks;
  bool published = false;
  bool compare = false;
  bool json = false;

  void run() const {
    if (published) {
      refuse_if(!launch.kernel.empty(), "--published compares the AMD series; it takes no KERNEL");
      print_published(figure, json);
      return;
    }
    refuse_if(
        compare && !model::names_device_here(on),
        "--compare counts what launches move, which takes a device here: give --on cpu or cuda:0");
    if (!figure.empty()) throw UsageError("--figure goes with --published");
    refuse_if(launch.kernel.empty(),
              "model takes a KERNEL, such as laplacian, or --published; see --help");
    refuse_if(ranks.has_value() != !network.empty(),
              "--ranks and --network go together: how many, and what messages cost");
    const lab::BenchKernel kernel = launch.find();
    refuse_if(!kernel.make_menu, "the model does not know what {} does with memory", kernel.name);
    const Place place = place_of(on);
    if (ranks) {
      predict_over_ranks(kernel, launch.request(kernel), place);
    } else {
      predict_kernel(kernel, place);
    }
  }

private:
  void predict_over_ranks(const lab::BenchKernel& kernel, const lab::BenchRequest& request,
                          const Place& place) const {
    constexpr Index most = 1 << 20;
    if (*ranks < 1 || *ranks > most)
      throw UsageError(fmt::format("--ranks {}: give 1 to {}", *ranks, most));
    refuse_if(request.schedule == "all" || request.schedule == "space",
              "--ranks takes one schedule; give auto, a name or fields");
    const auto halo = kernel.make_menu(request, place)->halo();
    refuse_if(!halo, "--ranks is for stencils; {} is of the pattern {}", launch.kernel,
              kernel.pattern);
    const auto of_size = [&](Index3 n) {
      lab::BenchRequest share = request;
      const Index sizes[] = {n.x, n.y, n.z};
      share.size = Extents(sizes, request.size.rank());
      const auto time = kernel.make_menu(share, place)->predict(request.schedule).time;
      refuse_if(!time,
                "--on {}: the model knows no ceilings of it, so no times; name a described device",
                on);
      return time->seconds;
    };
    const auto steps = predict_ranks(static_cast<int>(*ranks), request.size.xyz(), halo->reach,
                                     halo->element_bytes, read_network(network), of_size);
    auto array = ordered_json::array();
    lab::Table table({"ranks", "grid", "compute", "exchange", "step", "strong", "weak"});
    for (const RankStep& s : steps) {
      array.push_back({{"kernel", launch.shown()},
                       {"device_name", place.described->name},
                       {"precision", request.precision},
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
    print(array, "modelled on", ", one a rank", request, place, table);
  }

  void predict_kernel(const lab::BenchKernel& kernel, const Place& place) const {
    KernelOptions one = launch;
    one.size.clear();
    lab::BenchRequest first = one.request(kernel);
    const std::vector<Extents> sizes = launch.sizes(kernel);
    first.size = sizes.front();
    std::vector<Modelled> all;
    for (const Extents& size : sizes) {
      lab::BenchRequest request = first;
      request.size = size;
      const auto menu = kernel.make_menu(request, place);
      for (const NamedText& s : menu->asked(request.schedule)) {
        check_interrupt();
        all.push_back(modelled(*menu, s, kernel, size));
      }
    }
    if (compare) {
      compare_with_counters(all, kernel, first, place);
      return;
    }
    auto array = ordered_json::array();
    lab::Table table(with_size({"fetched", "written", "least", "hit rate", "fetched, low to high",
                                "time", "roof", "schedule", "cause"},
                               "size"));
    for (const Modelled& m : all) {
      array.push_back(to_json(m, kernel, first, place));
      table.add(with_size(row(m), to_text(m.size)));
    }
    print(array, "modelled on", "", first, place, table);
  }

  /// The cells of a table over several sizes begin with the size.
  [[nodiscard]] std::vector<std::string> with_size(std::vector<std::string> cells,
                                                   const std::string& size) const {
    if (is_size_range(launch.size)) cells.insert(cells.begin(), size);
    return cells;
  }

  [[nodiscard]] static Modelled modelled(const Menu& menu, const NamedText& schedule,
                                         const lab::BenchKernel& kernel, const Extents& size) {
    Modelled m{schedule, size, menu.predict(schedule.text), {}};
    if (m.traffic().requested <= 0) { // all of it may be in the caches
      throw UsageError(fmt::format("the model knows stencils, lattices and chains; {} is of the "
                                   "pattern {}",
                                   kernel.name, kernel.pattern));
    }
    m.cause = m.traffic().cause;
    if (!m.cause.empty()) return m;
    m.cause = "none";
    if (const auto causes = doctor::diagnose(m.p.facts); m.p.time && !causes.empty())
      m.cause = fmt::format("{}: {}", causes.front().cause->name, causes.front().cause->title);
    return m;
  }

  /// Each schedule modelled and counted, and how far the model is off.
  void compare_with_counters(const std::vector<Modelled>& all, const lab::BenchKernel& kernel,
                             const lab::BenchRequest& request, const Place& place) const {
    auto array = ordered_json::array();
    lab::Table table(with_size(
        {"fetched", "counted", "error", "written", "counted", "hit rate", "counted", "schedule"},
        "size"));
    std::vector<double> errors;
    std::string source;
    KernelOptions counted = launch;
    counted.device = to_text(place.device.id());
    for (const Modelled& m : all) {
      check_interrupt();
      counted.schedule = m.schedule.text;
      counted.size = to_text(m.size);
      const Counters c = count_launch(counted);
      const model::Traffic& t = m.traffic();
      source = c.source;
      errors.push_back(t.fetched / c.bytes_read - 1);
      ordered_json o = to_json(m, kernel, request, place);
      o["counters"] = {{"source", c.source}, {"bytes_read", c.bytes_read}};
      if (c.bytes_written) o["counters"]["bytes_written"] = *c.bytes_written;
      if (c.hit_rate) o["counters"]["hit_rate"] = *c.hit_rate;
      o["fetched_error"] = errors.back();
      array.push_back(o);
      table.add(
          with_size({bytes_text(t.fetched), bytes_text(c.bytes_read),
                     fmt::format("{:+.1f} %", 100 * errors.back()), bytes_text(t.written),
                     c.bytes_written ? bytes_text(*c.bytes_written) : "-", m.hits(),
                     c.hit_rate ? fmt::format("{:.1f} %", 100 * *c.hit_rate) : "-", m.named_text()},
                    to_text(m.size)));
    }
    print(array, "on", ", modelled and counted by " + source, request, place, table);
    if (json) return;
    for (double& error : errors)
      error = std::abs(error);
    std::sort(errors.begin(), errors.end());
    fmt::print("median error of bytes fetched: {:.1f} %, largest {:.1f} %\n",
               100 * errors[errors.size() / 2], 100 * errors.back());
  }

  void print(const ordered_json& array, const char* how, const std::string& also,
             const lab::BenchRequest& request, const Place& place, const lab::Table& table) const {
    if (json) {
      fmt::print("{}\n", array.dump(2));
      return;
    }
    const std::string size = is_size_range(launch.size) ? launch.size : to_text(request.size);
    fmt::print("{} {} {} {} {}{}\n{}", launch.shown(), size, request.precision, how,
               place.described->name, also, table.text());
  }

  [[nodiscard]] ordered_json to_json(const Modelled& m, const lab::BenchKernel& kernel,
                                     const lab::BenchRequest& request, const Place& place) const {
    auto sizes = ordered_json::array();
    for (int d = 0; d < m.size.rank(); ++d)
      sizes.push_back(m.size[d]);
    const model::Description& described = *place.described;
    const model::Traffic& t = m.traffic();
    ordered_json o{{"pattern", kernel.pattern},
                   {"kernel", launch.shown()},
                   {"device", model::names_device_here(on) ? to_text(place.device.id())
                              : described.key.empty()      ? on
                                                           : described.key},
                   {"device_name", described.name},
                   {"precision", request.precision},
                   {"size", sizes},
                   {"schedule", m.schedule.text}};
    if (!m.schedule.name.empty()) o["schedule_name"] = m.schedule.name;
    o["modelled"] = true;
    o["bytes_read"] = std::llround(m.p.facts.least_read);
    o["bytes_written"] = std::llround(m.p.facts.least_written);
    o["fetched_bytes"] = std::llround(t.fetched);
    o["written_bytes"] = std::llround(t.written);
    o["fetched_low"] = std::llround(t.fetched_low);
    o["fetched_high"] = std::llround(t.fetched_high);
    o["hit_rate"] = t.hit_rate();
    o["cause"] = m.cause;
    if (m.p.time) {
      o["seconds"] = m.p.time->seconds.value;
      o["roof_name"] = m.p.time->roof;
    }
    return o;
  }

  static std::vector<std::string> row(const Modelled& m) {
    const model::Traffic& t = m.traffic();
    return {bytes_text(t.fetched),
            bytes_text(t.written),
            t.fetched > 0 ? fmt::format("{:.1f} %", 100 * m.p.facts.least_read / t.fetched) : "-",
            m.hits(),
            bytes_text(t.fetched_low) + " to " + bytes_text(t.fetched_high),
            m.p.time ? to_text(m.p.time->seconds) : "-",
            m.p.time ? m.p.time->roof : "-",
            m.named_text(),
            m.cause};
  }
};

/// What may be here, but the emulated GPU.
std::string devices() {
  std::string list;
  for (const KindFacts* const kind : kinds())
    if (!kind->is_emulated) list += (list.empty() ? "" : ", ") + forms_of(*kind);
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
  command.add("KERNEL", &o->launch.kernel,
              "a built-in stencil, lattice kernel or chain, or FILE.hpp:Name of your own");
  command.add("--on", &o->on,
              "a device here (" + devices() + "), one described (" + described() +
                  ") or a file of constants, FILE.json");
  command.add("--size", &o->launch.size, sizes_too);
  command.add("--precision", &o->launch.precision, "fp32 or fp64");
  command.add("--schedule", &o->launch.schedule,
              "auto; all: those with names and the model's choice; space: every combination; a "
              "name; or fields such as 'tile=4 store=nontemporal'");
  o->launch.add_of_pattern(command, KernelOption::model);
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
