#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/model/measured.hpp>
#include <ridge/record/roof.hpp>

#include "../io/output_file.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "links.hpp"
#include "progress.hpp"

#include <fmt/core.h>

namespace ridge::app {

namespace {

std::string cache_text(const CacheRoof& roof) {
  lab::Table table({"over and over", "read", "beside plain stores", "beside non-temporal stores",
                    "latency of a read"});
  const auto rate = [](double value) { return quantity(value, "B/s"); };
  for (const ReusePoint& p : roof.points)
    table.add({to_text(p.bytes), rate(p.read), rate(p.beside_plain), rate(p.beside_nontemporal),
               to_text(p.latency)});
  const auto room = [](const std::optional<double>& lines) {
    return lines ? fmt::format("{:.2f}", *lines) : std::string("unknown");
  };
  const auto held = roof.held();
  return table.text() +
         fmt::format("last-level cache: {}, read at {}, latency {}; memory's {}\n",
                     to_text(roof.cache), rate(roof.cache_rate()), to_text(roof.cache_latency()),
                     to_text(roof.memory_latency())) +
         (held ? fmt::format("half of {} is gone when it is read again", to_text(*held))
               : std::string("reads do not tell where it ends")) +
         fmt::format("; room of a stored line, in lines: {}, non-temporal {}\n",
                     room(roof.plain_room()), room(roof.nontemporal_room()));
}

struct RoofCommand {
  std::string device = "auto";
  std::string output;
  bool quick = false;
  bool cache = false;
  bool overwrite = false;
  bool json = false;

  void run() const {
    comm::Communicator& world = comm::world();
    const Device chosen = comm::device_of_rank(world, device);
    if (!output.empty() && !cache)
      throw UsageError("--output takes the constants that --cache measures; give both");
    if (world.ranks() > 1) {
      if (cache) throw UsageError("--cache measures one device; run it on one rank");
      print_links(world, chosen, quick, json);
      return;
    }
    if (cache) {
      measure_caches(chosen);
      return;
    }
    const Roof roof = measured(chosen, {});
    if (json) {
      fmt::print("{}\n", to_json(roof));
      return;
    }
    fmt::print("{} ({})\n", to_text(roof.device), roof.device_name);
    if (roof.ceilings.empty()) {
      fmt::print("an emulated GPU has no roof\n");
    } else {
      fmt::print("{}", lab::roof_table(roof));
    }
  }

private:
  [[nodiscard]] Roof measured(const Device& chosen, const std::vector<std::string>& only) const {
    Progress progress;
    Roof roof = measure_roof(chosen, options(progress, only));
    progress.clear();
    return roof;
  }

  [[nodiscard]] RoofOptions options(Progress& progress,
                                    const std::vector<std::string>& only) const {
    RoofOptions options;
    options.quick = quick;
    options.only = only;
    options.on_start = [&progress](std::string_view what) {
      check_interrupt();
      progress.show(fmt::format("measuring {}", what));
    };
    return options;
  }

  /// The text, when it can be read again: others can slow a machine down beyond what is possible.
  static std::string possible(const std::string& text) {
    try {
      (void)model::parse_description(text, "measured");
    } catch (const UsageError& error) {
      throw Failure(fmt::format("{}; try again when the machine is less busy", error.what()));
    }
    return text;
  }

  void measure_caches(const Device& chosen) const {
    model::Description base;
    io::OutputPlan plan(overwrite);
    if (!output.empty()) {
      plan.writes_at_once(output, "the file of constants");
      plan.claim();
      base = model::description_of(chosen.facts(), chosen.kind());
    }
    Progress progress;
    const CacheRoof roof = measure_cache(chosen, options(progress, {}));
    progress.clear();
    if (!output.empty()) {
      const Roof ceilings = measured(chosen, model::measured_ceilings());
      io::write_text_file(plan, output, possible(to_json(model::measured(base, roof, ceilings))));
    }
    if (json) {
      fmt::print("{}\n", to_json(roof));
      return;
    }
    fmt::print("{} ({})\n{}", to_text(roof.device), roof.device_name, cache_text(roof));
    if (!output.empty())
      fmt::print("{}: constants for ridge model and ridge doctor --on\n", output);
  }
};

} // namespace

void add_roof(CommandLine& line) {
  const Command command = line.add_command(
      "roof", "measure and print the ceilings of a device; over ranks, of what connects them");
  auto options = std::make_shared<RoofCommand>();
  command.add_device(&options->device);
  command.add("--quick", &options->quick, "fewer repeats");
  command.add("--cache", &options->cache,
              "measure where the caches end instead: reads over and over of more and more, what "
              "stores beside them change, and latencies");
  command.add("-o,--output", &options->output,
              "with --cache: write the constants of this device that the model takes, FILE.json");
  command.add("--overwrite", &options->overwrite, "replace the file of --output when it exists");
  command.add("--json", &options->json, "print JSON");
  command.set_action([options] { options->run(); }, Ranks::several);
}

} // namespace ridge::app
