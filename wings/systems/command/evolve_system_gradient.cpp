// `ridge evolve --gradient`: how a loss of a system's traces depends on its medium and its start.
#include "evolve_system_gradient.hpp"

#include <ridge/core/error.hpp>

#include "app/interrupt.hpp"
#include "app/run_device.hpp"
#include "core/refuse.hpp"
#include "evolve_system_command.hpp"
#include "io/hdf5_writing.hpp"
#include "io/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>

namespace ridge::app {

namespace {

/// "4GB", "512 MB" or a number of bytes; decimal prefixes, as Ridge prints them.
Bytes parse_memory(const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  constexpr std::array<std::pair<std::string_view, double>, 6> units{
      {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};
  const auto* const known =
      std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.first == unit; });
  constexpr double most = 1e18;
  if (status != std::errc{} || known == units.end() || !(value > 0) || value * known->second > most)
    throw UsageError(fmt::format("--memory '{}': a size such as 4GB or 500MB is right", text));
  return Bytes{static_cast<Index>(value * known->second)};
}

void refuse_others(const SystemOptions& o) {
  const auto refuse = [](bool given, const char* option, const char* why) {
    refuse_if(given, "{} does not go with --gradient: {}", option, why);
  };
  refuse(!o.output.empty(), "-o", "such a run writes no snapshots");
  refuse(o.every.has_value(), "--every", "such a run writes no snapshots");
  refuse(!o.restart.empty(), "--restart", "the gradient is of all steps");
  refuse(!o.picture.empty(), "--picture", "its run is not drawn");
  refuse(!o.gather.empty(), "--gather", "its traces are not drawn");
  refuse(!o.by_step.empty(), "--by-step", "numbers are the same at all steps");
  refuse(!o.store_as.empty(), "--store-as", "derivatives are computed in fp32 or fp64");
  if (o.receivers.empty())
    throw UsageError("--gradient needs --receivers FILE.csv: the loss is of their traces");
  if (o.observed.empty())
    throw UsageError("--gradient needs --observed FILE.h5: traces to compare with, as "
                     "FILE.traces.h5 has them");
}

} // namespace

ObservedTraces read_observed(const std::string& text) {
  DatasetName name = parse_dataset_name(text, "--observed");
  if (name.path.empty()) name.path = "/traces";
  const InputDataset data(name);
  refuse_if(data.extents().rank() != 2,
            "--observed {}: traces are a dataset of two dimensions, a row a receiver",
            to_text(name));
  const Index steps = data.extents()[0];
  const Index rows = data.extents()[1];
  std::vector<double> all(static_cast<std::size_t>(steps * rows));
  const Piece piece{{0, 0}, {rows, steps}, 0, rows * steps};
  if (data.element_bytes() == 8) {
    data.read(piece, all.data());
  } else {
    std::vector<float> narrow(all.size());
    data.read(piece, narrow.data());
    std::copy(narrow.begin(), narrow.end(), all.begin());
  }
  ObservedTraces made{to_text(name), data.files(), steps, {}};
  for (Index r = 0; r < rows; ++r) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * steps);
    made.traces.emplace_back(begin, begin + steps);
    for (Index i = 0; i < steps; ++i) {
      refuse_if(!std::isfinite(made.traces.back()[static_cast<std::size_t>(i)]),
                "--observed {}: value {} of row {} is not finite, counted from 0", made.name, i, r);
    }
  }
  return made;
}

void evolve_gradient(const SystemOptions& options, const SystemKernel& kernel) {
  refuse_others(options);
  const chain::SystemAdjoint adjoint = chain::adjoint_of(options.kernel);
  const ObservedTraces observed = read_observed(options.observed);
  SystemOptions whole = options;
  if (!whole.steps) whole.steps = observed.steps;
  refuse_if(*whole.steps != observed.steps,
            "--observed {}: its traces have {} steps, and the run {}; --steps {} is right",
            observed.name, observed.steps, *whole.steps, observed.steps);
  SystemCommand(whole, kernel).execute_gradient(adjoint, observed);
}

void SystemCommand::plan_gradient() {
  for (const std::string& text : o_.gradients) {
    const DatasetName name = parse_dataset_name(text, "--gradient");
    const std::string array = name.path.substr(name.path.rfind('/') + 1);
    if (std::find(names_.begin(), names_.end(), array) == names_.end()) {
      throw UsageError(fmt::format("--gradient {}: FILE.h5:/NAME is right, where NAME is one of {}",
                                   text, fmt::join(names_, ", ")));
    }
    for (const Gradient& known : gradients_) {
      refuse_if(known.to.file == name.file && known.to.path == name.path,
                "--gradient {}: it is given twice", text);
    }
    gradients_.push_back({name, array_of(array)});
  }
  if (ranks_.rank() > 0) return; // the first one alone writes
  std::set<fs::path> files;
  for (const Gradient& asked : gradients_)
    files.insert(asked.to.file);
  for (const fs::path& file : files)
    plan_.writes(file, "the gradient");
}

Index SystemCommand::states_kept(const chain::SystemSetup& setup,
                                 const chain::SystemAdjoint& adjoint) const {
  chain::GradientMemory needed = chain::gradient_memory(kernel_, setup, adjoint);
  const auto greatest = [&](Bytes of) { // of the ranks
    return Bytes{static_cast<Index>(ranks_.greatest(static_cast<double>(of.value)))};
  };
  needed = {greatest(needed.arrays), greatest(needed.state)};
  const Bytes free{queue_->device().free_memory().value / 2 / sharing_device()};
  const Bytes most =
      o_.memory.empty() ? Bytes{-greatest({-free.value}).value} : parse_memory(o_.memory);
  const Index room = (most.value - needed.arrays.value) / needed.state.value;
  if (most < needed.arrays + needed.state) {
    throw UsageError(fmt::format(
        "--memory {}: {} is the least that does{}: {} for the arrays in {}, and {} for one state "
        "of the run",
        o_.memory.empty() ? to_text(most) : o_.memory, to_text(needed.arrays + needed.state),
        setup.part ? " on each rank" : "", to_text(needed.arrays),
        setup.element_bytes == 4 ? "fp32" : "fp64", to_text(needed.state)));
  }
  return std::min(room, last());
}

Index SystemCommand::sharing_device() const {
  std::array<char, 256> host{};
  (void)gethostname(host.data(), host.size() - 1);
  const auto all =
      ranks_.gather_text(std::string(host.data()) + " " + to_text(queue_->device().id()));
  return std::count(all.begin(), all.end(), all[static_cast<std::size_t>(ranks_.rank())]);
}

ProofRun SystemCommand::proof_run(const chain::SystemAdjoint& adjoint) const {
  ProofRun made{kernel_, setup_, adjoint, last(), 1, {}, {}};
  made.setup.element_bytes = 8;
  made.setup.schedule = "auto";
  made.kept = states_kept(made.setup, adjoint);
  for (int a = 0; a < arrays(); ++a) {
    const comm::Box own = own_points(a);
    const Index row = points_of(a).x;
    std::vector<double>& values = made.arrays.emplace_back();
    std::vector<double> plane(static_cast<std::size_t>(row * points_of(a).y));
    const auto field = std::find(names_.begin(), names_.end(), name_of(a)) - names_.begin();
    for (Index z = own.begin.z; z < own.end.z; ++z) {
      read_plane(fields_[static_cast<std::size_t>(field)], z, plane);
      for (Index y = own.begin.y; y < own.end.y; ++y) {
        const auto begin = plane.begin() + static_cast<std::ptrdiff_t>(row * y);
        values.insert(values.end(), begin + static_cast<std::ptrdiff_t>(own.begin.x),
                      begin + static_cast<std::ptrdiff_t>(own.end.x));
      }
    }
  }
  for (const Gradient& asked : gradients_) {
    if (std::find(made.varied.begin(), made.varied.end(), asked.array) == made.varied.end())
      made.varied.push_back(asked.array);
  }
  return made;
}

void SystemCommand::execute_gradient(const chain::SystemAdjoint& adjoint,
                                     const ObservedTraces& observed) {
  refuse_if(observed.traces.size() != setup_.receivers.size(),
            "--observed {}: it has {} rows, and {} has {} receivers", observed.name,
            observed.traces.size(), o_.receivers, setup_.receivers.size());
  for (const fs::path& file : observed.files)
    plan_.reads(file, "the observed traces");
  if (ranks_.rank() == 0) plan_.claim();
  queue_.emplace(device_of_run(ranks_, o_.device, {o_.restart, {}, {}}));
  setup_.schedule = chain::to_text(
      chain::parse_schedule(o_.schedule.empty() ? "auto" : o_.schedule, queue_->device(),
                            kernel_.description(bytes_), setup_.extents)
          .schedule);
  run_["device"] = to_text(queue_->device().id());
  run_["device_name"] = queue_->device().facts().name;
  const Index kept = states_kept(setup_, adjoint);
  say_begin();
  std::optional<AdjointProof> proof;
  if (o_.check) proof = prove(*queue_, proof_run(adjoint), observed.traces);
  system_.emplace(*queue_, kernel_, setup_);
  fill();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  chain::SystemGradient gradient(*queue_, *system_, kernel_, setup_, adjoint, kept);
  double loss = 0;
  const chain::StepsBack back = gradient.run(
      last(),
      [&](const chain::Traces& traces) {
        loss = loss_of(traces, observed.traces);
        return residuals_of(traces, observed.traces);
      },
      [&](double done) {
        progress_.show("steps back", done);
        check_interrupt();
      });
  progress_.clear();
  const double seconds =
      ranks_.greatest(std::chrono::duration<double>(Clock::now() - begin).count());
  if (!std::isfinite(loss)) {
    throw Failure(fmt::format("the traces are not finite after {} steps, so there is no gradient; "
                              "a smaller --dt may help",
                              last()));
  }
  write_gradients(gradient, loss);
  Record record = system_->record();
  add_ranks(record);
  record.schedule = setup_.schedule;
  const auto detail = [&](const char* name, double value) {
    record.details.push_back({name, value, ""});
  };
  detail("steps", static_cast<double>(last()));
  detail("dt", setup_.dt);
  detail("loss", loss);
  detail("gradient_seconds", seconds);
  detail("states_kept", static_cast<double>(back.kept));
  detail("steps_again", static_cast<double>(back.again));
  if (proof) {
    detail("adjoint.dot_error", proof->dot_error);
    detail("adjoint.slope", proof->slope);
  }
  if (o_.json) {
    fmt::print("{}\n", to_json(std::vector{record}));
    return;
  }
  if (proof) {
    fmt::print("the adjoint is right: dot products differ by {:.1e}, the slope of differences is "
               "{:.3f}\n",
               proof->dot_error, proof->slope);
  }
  fmt::print("{} steps and back in {}; {} states kept, {} steps computed again; loss {:g}; wrote "
             "{}\n",
             last(), to_text(Seconds{seconds}), back.kept, back.again, loss,
             fmt::join(o_.gradients, ", "));
}

void SystemCommand::write_gradient(const io::Writing& out, const Gradient& asked,
                                   const chain::SystemGradient& from) const {
  const Index3 n = points_of(asked.array);
  std::vector<Index> shape{n.z, n.y, n.x};
  shape.erase(shape.begin(), shape.begin() + (3 - dimensions_));
  OutputDataset data(out.file(), asked.to.path, out.called().string(), shape, native_type(bytes_));
  for_each_plane(from, asked.array, [&](Index z, const void* plane) {
    Piece piece{std::vector<Index>(shape.size(), 0), shape, z * n.x * n.y, n.x * n.y};
    if (dimensions_ == 3) piece.start[0] = z, piece.count[0] = 1;
    data.write(piece, plane, bytes_);
  });
  data.close();
}

void SystemCommand::write_gradients(const chain::SystemGradient& gradient, double loss) {
  std::map<fs::path, std::vector<std::size_t>> files;
  for (std::size_t i = 0; i < gradients_.size(); ++i)
    files[gradients_[i].to.file].push_back(i);
  quiet_hdf5();
  for (const auto& [file, all] : files) {
    if (ranks_.rank() > 0) { // what the first one asks for
      for (const std::size_t i : all)
        for_each_plane(gradient, gradients_[i].array, [](Index, const void*) {});
      continue;
    }
    io::OutputFile made(plan_, file);
    io::Writing out(made.path(), file);
    for (const std::size_t i : all)
      write_gradient(out, gradients_[i], gradient);
    out.attribute("loss", loss);
    out.close();
    made.commit();
  }
}

} // namespace ridge::app
