// `ridge count`: what one launch moves between memory and the device, as the hardware counts it.
#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>
#include <ridge/core/units.hpp>
#include <ridge/record/profile.hpp>

#include "commands.hpp"
#include "count_profile.hpp"
#include "counting.hpp"
#include "interrupt.hpp"

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
    const std::vector<Extents> sizes = launch.sizes(launch.find());
    const bool range = is_size_range(launch.size);
    auto array = nlohmann::ordered_json::array();
    for (const Extents& size : sizes) {
      check_interrupt();
      KernelOptions one = launch;
      if (!launch.size.empty()) one.size = to_text(size);
      const Counters c = count_launch(one);
      if (json) {
        array.push_back(to_json(c, size));
      } else {
        print(c, range ? to_text(size) + ": " : "");
      }
    }
    if (json) fmt::print("{}\n", (range ? array : array.front()).dump(2));
  }

private:
  [[nodiscard]] nlohmann::ordered_json to_json(const Counters& c, const Extents& size) const {
    nlohmann::ordered_json o{{"kernel", launch.kernel},  {"schedule", launch.schedule},
                             {"source", c.source},       {"bytes_read", c.bytes_read},
                             {"bytes_written", nullptr}, {"hit_rate", nullptr}};
    if (is_size_range(launch.size)) {
      for (int d = 0; d < size.rank(); ++d)
        o["size"].push_back(size[d]);
    }
    if (c.bytes_written) o["bytes_written"] = *c.bytes_written;
    if (c.hit_rate) o["hit_rate"] = *c.hit_rate;
    return o;
  }

  static void print(const Counters& c, const std::string& before) {
    fmt::print("{}read {}, written {}, hit rate {} (counted by {})\n", before,
               quantity(c.bytes_read, "B"), c.bytes_written ? quantity(*c.bytes_written, "B") : "-",
               c.hit_rate ? fmt::format("{:.1f} %", 100 * *c.hit_rate) : "-", c.source);
  }
};

} // namespace

void add_count(CommandLine& line) {
  const Command command = line.add_command(
      "count",
      "count the bytes that one launch moves: by perf on the cpu, by ncu or rocprofv3 on GPUs");
  auto o = std::make_shared<CountCommand>();
  o->launch.add_to(command, KernelOption::count, sizes_too);
  command.add_device(&o->launch.device);
  o->profile.add_to(command);
  command.add("--write-input", &o->write_input,
              "print rocprof's input.txt that counts what --from reads, of --kernel where given");
  command.add("--inside", &o->inside,
              "what profilers run: the launch, and nothing counted around it");
  command.add("--json", &o->json, "print JSON");
  command.set_action([o] {
    const WithinLaunches are_given_up;
    o->run();
  });
}

} // namespace ridge::app
