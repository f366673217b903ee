#include <ridge/comm/carrier.hpp>
#include <ridge/comm/measure.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/model/measured.hpp>
#include <ridge/record/roof.hpp>

#include "../core/refuse.hpp"
#include "../io/output_file.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ridge::app {

namespace {

using Json = nlohmann::ordered_json;

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

/// Measures and prints what messages between ranks cost.
void print_links(comm::Communicator& ranks, const Device& device, bool quick, bool json) {
  Queue queue(device);
  const auto links = comm::measure_links(ranks, queue, quick);
  if (json) {
    Json all{{"device", to_text(device.id())},
             {"device_name", device.facts().name},
             {"ranks", ranks.ranks()},
             {"library", ranks.implementation()},
             {"links", Json::array()}};
    for (const comm::Link& link : links) {
      Json one{{"with_rank", link.rank},
               {"where", link.where},
               {"carrier", comm::to_text(link.carrier)},
               {"latency_seconds", link.latency.value},
               {"bytes_per_second", link.one_way},
               {"bytes_per_second_each_way", link.both_ways},
               {"exchanges", Json::array()}};
      for (const auto& e : link.exchanges)
        one["exchanges"].push_back({{"bytes", e.size.value}, {"seconds", e.seconds.value}});
      all["links"].push_back(one);
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print("{} ranks on {} ({}) over {}\n", ranks.ranks(), to_text(device.id()),
             device.facts().name, ranks.implementation());
  lab::Table table({"rank 0 with", "by", "latency", "one way", "each way at once", "exchange of"});
  for (const comm::Link& link : links) {
    std::string exchanges;
    for (const auto& e : link.exchanges)
      exchanges += fmt::format("{}{} in {}", exchanges.empty() ? "" : ", ", to_text(e.size),
                               to_text(e.seconds));
    table.add({fmt::format("{} ({})", link.rank, link.where), comm::to_text(link.carrier),
               to_text(link.latency), quantity(link.one_way, "B/s"),
               quantity(link.both_ways, "B/s"), exchanges});
  }
  fmt::print("{}", table.text());
}

struct RoofCommand {
  std::string device = "auto", output;
  bool quick = false, cache = false, overwrite = false, json = false;

  void run() const {
    comm::Communicator& world = comm::world();
    const Device chosen = comm::device_of_rank(world, device);
    refuse_if(!output.empty() && !cache,
              "--output takes the constants that --cache measures; give both");
    if (world.ranks() > 1) {
      refuse_if(cache, "--cache measures one device; run it on one rank");
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
    fmt::print("{}",
               roof.ceilings.empty() ? "an emulated GPU has no roof\n" : lab::roof_table(roof));
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
  auto o = std::make_shared<RoofCommand>();
  command.add({
      device_row(&o->device),
      {"--quick", &o->quick, "fewer repeats"},
      {"--cache", &o->cache,
       "measure where the caches end instead: reads over and over of more and more, what stores "
       "beside them change, and latencies"},
      {"-o,--output", &o->output,
       "with --cache: write the constants of this device that the model takes, FILE.json"},
      {"--overwrite", &o->overwrite, "replace the file of --output when it exists"},
      {"--json", &o->json, "print JSON"},
  });
  command.set_action(
      [o] {
        const WithinLaunches are_given_up;
        o->run();
      },
      Ranks::several);
}

} // namespace ridge::app
