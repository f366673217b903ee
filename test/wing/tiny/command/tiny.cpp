#include "../src/samples.hpp"
#include "app/commands.hpp"
#include "core/refuse.hpp"

#include <fmt/core.h>

#include <memory>

namespace ridge::wings {

namespace {

struct Options {
  Index count = 0, steps = 1;
  double share = 0.5;
  std::string device;

  void run() const {
    refuse_if(count < 1, "--count {}: at least 1 is needed", count);
    const std::vector<double> samples(static_cast<std::size_t>(count), 1.0);
    for (const double left : tiny::left_after(Device(device), samples, share, steps))
      fmt::print("{}\n", left);
  }
};

} // namespace

void tiny(app::CommandLine& line);

void tiny(app::CommandLine& line) {
  using app::required;
  const app::Command command = line.add_command("tiny", "samples that decay");
  auto o = std::make_shared<Options>();
  command.add({required("--count", &o->count, "samples"),
               {"--share", &o->share, "of each that decays in a step"},
               {"--steps", &o->steps, "how many"},
               required("--device", &o->device, "cpu, simt:32, ...")});
  command.set_action([o] { o->run(); });
}

} // namespace ridge::wings
