#include <ridge/comm/carrier.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/record/roof.hpp>

#include "commands.hpp"
#include "interrupt.hpp"
#include "links.hpp"
#include "progress.hpp"

#include <fmt/core.h>

namespace ridge::app {

namespace {

struct RoofCommand {
  std::string device = "auto";
  bool quick = false;
  bool json = false;

  void run() const {
    comm::Communicator& world = comm::world();
    const Device chosen = comm::device_of_rank(world, device);
    if (world.ranks() > 1) {
      print_links(world, chosen, quick, json);
      return;
    }
    Progress progress;
    RoofOptions options;
    options.quick = quick;
    options.on_start = [&](std::string_view ceiling) {
      check_interrupt();
      progress.show(fmt::format("measuring {}", ceiling));
    };
    const Roof roof = measure_roof(chosen, options);
    progress.clear();
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
};

} // namespace

void add_roof(CommandLine& line) {
  const Command command = line.add_command(
      "roof", "measure and print the ceilings of a device; over ranks, of what connects them");
  auto options = std::make_shared<RoofCommand>();
  command.add("--device", &options->device, "auto, cpu, cuda:N, hip:N, simt:32, simt:64");
  command.add("--quick", &options->quick, "fewer repeats");
  command.add("--json", &options->json, "print JSON");
  command.set_action([options] { options->run(); }, Ranks::several);
}

} // namespace ridge::app
