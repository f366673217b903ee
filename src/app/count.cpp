// `ridge count`: what one launch moves between memory and the device, as the hardware counts it.
#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/record/profile.hpp>

#include "commands.hpp"
#include "count_profile.hpp"
#include "counting.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ridge::app {

namespace {

struct CountCommand {
  KernelOptions launch;
  ProfileOptions profile;
  bool write_input = false;
  bool inside = false;
  bool json = false;

  void run() const {
    if (write_input) {
      fmt::print("{}", rocprof_input(profile.kernel));
      return;
    }
    if (!profile.from.empty()) return print_profile(profile, launch, json);
    if (inside) return run_counted(launch);
    const Counters c = count_launch(launch);
    if (json) {
      nlohmann::ordered_json o{{"kernel", launch.kernel},  {"schedule", launch.schedule},
                               {"source", c.source},       {"bytes_read", c.bytes_read},
                               {"bytes_written", nullptr}, {"hit_rate", nullptr}};
      if (c.bytes_written) o["bytes_written"] = *c.bytes_written;
      if (c.hit_rate) o["hit_rate"] = *c.hit_rate;
      fmt::print("{}\n", o.dump(2));
      return;
    }
    fmt::print("read {}, written {}, hit rate {} (counted by {})\n", quantity(c.bytes_read, "B"),
               c.bytes_written ? quantity(*c.bytes_written, "B") : "-",
               c.hit_rate ? fmt::format("{:.1f} %", 100 * *c.hit_rate) : "-", c.source);
  }
};

} // namespace

void add_count(CommandLine& line) {
  const Command command = line.add_command(
      "count", "count the bytes that one launch moves: by perf on the cpu, by ncu on NVIDIA GPUs");
  auto o = std::make_shared<CountCommand>();
  o->launch.add_to(command);
  add_width(command, &o->launch.width);
  command.add_device(&o->launch.device);
  o->profile.add_to(command);
  command.add("--write-input", &o->write_input,
              "print rocprof's input.txt that counts what --from reads, of --kernel where given");
  command.add("--inside", &o->inside, "what ncu runs: the launch, and nothing counted around it");
  command.add("--json", &o->json, "print JSON");
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
