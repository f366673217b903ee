// Systems as a way of `ridge evolve`: its options of them, and what --help says.
#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>

#include "app/commands.hpp"
#include "app/evolve_way.hpp"
#include "evolve_system.hpp"

#include <fmt/core.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace ridge::app {

namespace {

class Systems final : public EvolveWay {
public:
  void add_to(const Command& command) override {
    command.add(
        "--absorb-as", &own_.absorb_as,
        "friction, or cpml:FREQUENCY for systems of waves: layers that send less back; friction "
        "if not given");
    command.add(
        "--by-step", &own_.by_step,
        "NUMBER=FILE: a number of a system with a value for each step, one a line; the last "
        "one after their end; may be repeated");
    command.add("--source", &own_.source,
                "FILE.csv: places at which systems are excited, and perhaps arrays and amplitudes");
    command.add("--wavelet", &own_.wavelet,
                "ricker:FREQUENCY, or a file of numbers, one a step: what sources add");
    command.add("--receivers", &own_.receivers,
                "FILE.csv: places whose traces go to FILE.traces.h5 beside the output");
    command.add("--forces", &own_.forces,
                "forces on the bodies of a fluid after each step, in FILE.traces.h5");
    command.add("--gather", &own_.gather, "PNG of all traces beside each other").require_png();
    command.add("--gradient", &own_.gradients,
                "FILE.h5:/NAME: the derivative of half the squares by which traces differ from "
                "--observed, by the array NAME of the medium or the start; may be repeated");
    command.add("--observed", &own_.observed,
                "FILE.h5 or FILE.h5:/path: traces, a row a receiver, for --gradient");
    command.add("--memory", &own_.memory,
                "such as 4GB: what --gradient takes of each device; half of what is free if not "
                "given");
    command.add("--check", &own_.check,
                "prove the adjoint of --gradient on this run: dot products, and differences of the "
                "loss");
    command.add("--show", &own_.shown, "the field of a system that --picture shows");
  }

  [[nodiscard]] std::string footer() const override {
    std::string lines = "\nbuilt-in systems (docs/systems.md):\n";
    for (const auto& k : lab::evolving_systems()) {
      lines += fmt::format("  {:<14} {}\n", k->name, k->meaning);
      for (const chain::SystemNumber& one : k->make({}, false).numbers)
        lines +=
            fmt::format("  {:<14}   --set {}={:g}: {}\n", "", one.name, one.value, one.meaning);
    }
    return lines;
  }

  [[nodiscard]] std::function<void()> find(const EvolveOptions& options) const override {
    SystemOptions all = own_;
    static_cast<EvolveOptions&>(all) = options;
    auto system = find_system(all);
    if (!system) return {};
    return [all = std::move(all), system = std::move(*system)] { evolve_system(all, system); };
  }

  void refuse_options() const override {
    const SystemOptions& o = own_;
    if (!o.forces && o.source.empty() && o.wavelet.empty() && o.receivers.empty() &&
        o.gather.empty() && o.shown.empty() && o.by_step.empty() && o.gradients.empty() &&
        o.observed.empty() && o.memory.empty() && o.absorb_as.empty() && !o.check)
      return;
    throw UsageError(
        "--by-step, --source, --wavelet, --receivers, --forces, --gather, --show, --gradient, "
        "--observed, --memory, --absorb-as and --check are for systems (docs/systems.md), not for "
        "stencils");
  }

private:
  SystemOptions own_;
};

const EvolveWayAnnounced systems([]() -> std::shared_ptr<EvolveWay> {
  return std::make_shared<Systems>();
});

} // namespace

} // namespace ridge::app

namespace ridge::wings {

void systems(app::CommandLine& line);

void systems(app::CommandLine& /*line*/) {} // announced

} // namespace ridge::wings
