// What a run of a system is: its arrays, step, walls, layers, sources and receivers, and its files.
#include <ridge/chain/system/on_arrays.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/source_digest.hpp>

#include "app/kernel_options.hpp"
#include "app/picture.hpp"
#include "core/refuse.hpp"
#include "evolve_system_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace ridge::app {

namespace {

/// "friction", "cpml" or "cpml:12": poles of layers begin at this frequency.
void read_absorb_as(const std::string& text, chain::AbsorbingLayers& layers) {
  if (text == "friction") return;
  layers.matched = text.rfind("cpml", 0) == 0;
  const std::string rest = layers.matched ? text.substr(4) : text;
  if (layers.matched && rest.empty()) return;
  const char* const end = rest.data() + rest.size();
  const auto read = std::from_chars(rest.data() + 1, end, layers.frequency);
  const bool right = layers.matched && rest.size() > 1 && rest[0] == ':' &&
                     read.ec == std::errc{} && read.ptr == end && layers.frequency >= 0 &&
                     std::isfinite(layers.frequency);
  refuse_if(!right,
            "--absorb-as '{}': friction, cpml, or cpml:FREQUENCY with a frequency of at least 0 is "
            "right",
            text);
}

} // namespace

SystemCommand::SystemCommand(const SystemOptions& options, const SystemKernel& kernel)
    : Run(comm::world()), o_(options), kernel_(kernel), chain_(kernel.of_double),
      goes_on_(!options.restart.empty()), plan_(options.overwrite) {
  if (goes_on_) {
    begin_again();
  } else {
    begin_anew();
  }
  open_fields();
  choose_walls();
  divide();
  choose_step();
  choose_layers();
  read_probes();
  if (asks_gradient()) {
    plan_gradient();
    return;
  }
  claim_traces();
  if (ranks_.rank() > 0) return; // the first one alone writes
  mark();
  claim();
}

void SystemCommand::begin_anew() {
  if (o_.input.empty())
    throw UsageError("an INPUT is needed: FILE.h5 with the arrays of the start");
  if (o_.output.empty() && !asks_gradient())
    throw UsageError("-o FILE.h5 is needed: where snapshots go");
  if (!o_.coefficients.empty() || !o_.before.empty() || o_.diffusivity || o_.speed) {
    throw UsageError(fmt::format("--coefficient, --before, --diffusivity and --speed are for "
                                 "stencils; {} takes its arrays from INPUT, by name",
                                 kernel_.name));
  }
  run_["kernel"] = o_.kernel;
  run_["folder"] = fs::current_path().string();
  run_["settings"] = list_in(o_.settings, " ");
  run_["input"] = o_.input;
  run_["boundary"] = o_.boundary;
  run_["absorb"] = o_.absorb;
  run_["absorb_width"] = fmt::format("{}", o_.absorb_width.value_or(usual_absorb_width));
  run_["source"] = o_.source;
  run_["wavelet"] = o_.wavelet;
  run_["receivers"] = o_.receivers;
  run_["by_step"] = list_in(o_.by_step, "\n");
  run_["storage"] = o_.store_as;
  if (o_.forces) run_["forces"] = "yes";
  if (!o_.absorb_as.empty()) {
    if (o_.absorb.empty()) throw UsageError("--absorb-as goes with --absorb");
    run_["absorb_as"] = o_.absorb_as;
  }
  if (o_.absorb_width && o_.absorb.empty()) throw UsageError("--absorb-width goes with --absorb");
  if (!o_.wavelet.empty() && o_.source.empty()) throw UsageError("--wavelet goes with --source");
  if (!o_.gather.empty() && o_.receivers.empty())
    throw UsageError("--gather goes with --receivers");
}

void SystemCommand::begin_again() {
  require_no_parameters(o_, {{!o_.source.empty(), "--source"},
                             {!o_.wavelet.empty(), "--wavelet"},
                             {!o_.receivers.empty(), "--receivers"},
                             {!o_.absorb_as.empty(), "--absorb-as"},
                             {o_.forces, "--forces"},
                             {!o_.by_step.empty(), "--by-step"}});
  SystemRestart from = read_system_restart(o_.restart);
  run_ = std::move(from.run);
  snapshots_ = std::move(from.snapshots);
  if (!o_.gather.empty() && run_["receivers"].empty()) {
    throw UsageError(
        fmt::format("--gather is a picture of receivers, and the run in {} has none", o_.restart));
  }
  const auto as = run_.find("absorb_as");
  refuse_if(
      as != run_.end() && as->second.rfind("cpml", 0) == 0,
      "the run in {} has layers of cpml, whose memory is in no snapshot: it cannot go on; take "
      "more --steps from its start",
      o_.restart);
  plan_.reads(o_.restart, "the run that goes on");
  if (!o_.output.empty()) run_.erase("medium"); // its own snapshots have it
  setup_.first_step = snapshots_.back().step;
}

void SystemCommand::choose_walls() {
  std::vector<std::string> names;
  for (int a = 0; a < arrays(); ++a)
    names.emplace_back(name_of(a));
  std::string text = run_["boundary"];
  if (kernel_.only_periodic && text.empty()) text = "x=periodic,y=periodic,z=periodic";
  setup_.walls = chain::parse_walls(text, names);
  chain::require_axes(run_["boundary"], dimensions_);
  for (const auto& walls : setup_.walls) {
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t side = 0; side < 2; ++side) {
        const chain::Wall kind = walls[d][side].kind;
        const Index n = d == 0 ? extents_.x : d == 1 ? extents_.y : extents_.z;
        if (n > 1 && kernel_.only_periodic && kind != chain::Wall::periodic) {
          throw UsageError(fmt::format("--boundary: {} has periodic faces alone; walls are solid "
                                       "points of its start",
                                       kernel_.name));
        }
      }
    }
  }
  for (const auto& swap : kernel_.swaps)
    setup_.walls[static_cast<std::size_t>(swap[1])] =
        setup_.walls[static_cast<std::size_t>(swap[0])];
}

void SystemCommand::choose_layers() {
  if (run_["absorb"].empty()) return;
  if (!kernel_.absorbs)
    throw UsageError(fmt::format("--absorb is for waves about 0, and {} knows none", kernel_.name));
  if (fastest_ <= 0)
    throw UsageError(fmt::format("--absorb: {} says no speed of its waves", kernel_.name));
  setup_.layers.faces = parse_faces(run_["absorb"], dimensions_);
  setup_.layers.width = count_in(run_, "absorb_width");
  setup_.layers.speed = fastest_;
  if (!o_.absorb_as.empty()) read_absorb_as(o_.absorb_as, setup_.layers);
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (setup_.layers.faces[d][side] &&
          setup_.walls.front()[d][side].kind == chain::Wall::periodic) {
        throw UsageError(fmt::format("--absorb {}: {} is periodic; give it another boundary",
                                     run_["absorb"], "xyz"[d]));
      }
    }
  }
  if (!goes_on_) require_layers(setup_.layers.faces, setup_.layers.width, extents_);
}

void SystemCommand::choose_steps() {
  const std::optional<StepPlan> before =
      goes_on_ ? std::optional(StepPlan{count_in(run_, "target"), count_in(run_, "every")})
               : std::nullopt;
  const StepPlan steps = plan_steps(o_, setup_.first_step, before);
  plan(setup_.first_step, steps.target, steps.every);
  run_["target"] = fmt::format("{}", steps.target);
  run_["every"] = fmt::format("{}", steps.every);
}

void SystemCommand::mark() {
  std::uint64_t hash = 0;
  const auto add = [&](double value) {
    hash = mix_bits(hash ^ std::bit_cast<std::uint64_t>(value));
  };
  std::vector<double> plane(static_cast<std::size_t>(extents_.x * extents_.y));
  for (std::size_t i = 0; i < fields_.size() && !starts_; ++i) {
    if (!fields_[i].data || kernel_.is_state(array_of(names_[i]))) continue;
    for (Index z = 0; z < fields_[i].data->extents().xyz().z; ++z) {
      read_plane(fields_[i], z, plane);
      for (const double value : plane)
        add(value);
    }
  }
  for (const Places* places : {&sources_, &receivers_}) {
    for (const Places::Row& row : places->rows) {
      for (const double value : row.position)
        add(value);
      add(row.amplitude);
      for (const char c : row.array + row.wavelet)
        add(c);
    }
  }
  for (std::size_t i = 0; i < setup_.wavelets.size(); ++i) {
    if (file_of_wavelet(wavelets_[i]).empty()) continue; // Ricker's are as long as the run
    for (const double value : setup_.wavelets[i])
      add(value);
  }
  for (std::size_t i = 0; i < setup_.by_step.size(); ++i) {
    const std::string entry = words_in(run_["by_step"], '\n')[i];
    if (file_of_wavelet(entry.substr(entry.find('=') + 1)).empty()) continue;
    for (const double value : setup_.by_step[i].values)
      add(value);
  }
  require_same("checksum", fmt::format("{:016x}", hash),
               "the medium, sources, receivers or tables of the run in {} were changed since");
  if (!lab::names_a_file(run_["kernel"])) return;
  std::error_code failed;
  const fs::path there = fs::canonical(found(file_of_kernel(run_["kernel"])), failed);
  require_same("kernel_digest", failed ? std::string() : launch::source_digest(there.string()),
               "the kernel of the run in {} was changed since it began");
  plan_.reads(there, "the kernel's file");
}

void SystemCommand::require_same(const char* what, const std::string& now, const char* message) {
  if (goes_on_ && run_[what] != now)
    throw UsageError(fmt::format(fmt::runtime(message), o_.restart));
  run_[what] = now;
}

void SystemCommand::claim() {
  output_.emplace(plan_, file_, identity_of(run_),
                  continues() ? snapshots_ : std::vector<EvolveSnapshot>{});
  if (has_traces()) {
    if (continues()) {
      plan_.continues(traces_file_, "the traces");
    } else {
      plan_.writes(traces_file_, "the traces");
    }
  }
  if (!o_.picture.empty()) plan_.writes_at_once(o_.picture, "the picture");
  if (!o_.gather.empty()) plan_.writes_at_once(o_.gather, "the picture of the gather");
  plan_.claim();
  if (continues()) require_latest(snapshots_, file_);
}

} // namespace ridge::app
