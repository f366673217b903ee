#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>

#include "commands.hpp"
#include "evolve_fields.hpp"
#include "evolve_setup.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "picture.hpp"
#include "progress.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ridge::app {

namespace {

namespace fs = std::filesystem;

/// How long the user waits for progress and after Ctrl-C, in seconds.
constexpr double response = 0.2;

/// The device asked for; a restart's is the one the run was on.
Device device_for(const EvolveOptions& o, const EvolveRun& run) {
  if (!o.device.empty() && o.device != "auto") return Device(o.device);
  if (o.restart.empty()) return Device(best_device());
  const DeviceId before = parse_device(run.device);
  const auto here = list_devices();
  if (std::find(here.begin(), here.end(), before) == here.end()) {
    throw UsageError(
        fmt::format("the run in {} was on {} ({}), which is not here; give --device to "
                    "go on elsewhere, with other last bits",
                    o.restart, run.device, run.device_name));
  }
  return Device(before);
}

/// From the first step to the last.
class EvolveCommand {
public:
  EvolveCommand(const EvolveOptions& options, EvolveSetup setup)
      : o_(options), setup_(std::move(setup)), run_(setup_.run),
        queue_(device_for(options, setup_.run)), input_(*setup_.inputs.front()),
        goes_on_(!options.restart.empty()), step_(goes_on_ ? setup_.steps_there.back() : 0),
        output_(options.output.empty() ? options.restart : options.output,
                continues() ? setup_.steps_there : std::vector<Index>{}, options.overwrite) {
    choose_steps();
    require_picture();
  }

  void execute() {
    const Index3 n = input_.extents().xyz();
    const std::string schedule = !o_.schedule.empty()      ? o_.schedule
                                 : same_device_as_before() ? run_.schedule
                                                           : "auto";
    const stencil::SweepsSchedule laid = stencil::parse_sweeps(
        schedule, queue_.device(), setup_.kernel.traits, setup_.boundaries, n);
    run_.device = to_text(queue_.device().id());
    run_.device_name = queue_.device().facts().name;
    run_.schedule = stencil::to_text(laid);
    read_inputs();
    sweeps_.emplace(setup_.kernel.make(queue_, pointers_, n, setup_.boundaries, laid));
    // Only the levels are brought back.
    packed_.resize(static_cast<std::size_t>(run_.levels));
    say_begin();
    first_ = step_;
    if (!continues()) keep();
    integrate();
    finish();
  }

private:
  [[nodiscard]] bool continues() const { return goes_on_ && o_.output.empty(); }
  [[nodiscard]] bool same_device_as_before() const {
    return goes_on_ && to_text(queue_.device().id()) == run_.device;
  }

  void choose_steps() {
    if (o_.steps && *o_.steps < 1) {
      throw UsageError(fmt::format("--steps {}: at least 1 is needed", *o_.steps));
    }
    if (o_.every && *o_.every < 1) {
      throw UsageError(fmt::format("--every {}: at least 1 is needed", *o_.every));
    }
    if (o_.steps) {
      run_.target = step_ + *o_.steps;
    } else if (!goes_on_) {
      run_.target = 1000;
    }
    if (run_.target <= step_) {
      throw UsageError(fmt::format("the run in {} has all its {} steps; give --steps to go further",
                                   o_.restart, step_));
    }
    if (o_.every || !goes_on_) run_.every = o_.every.value_or(std::max<Index>(1, run_.target / 10));
  }

  void require_picture() const {
    if (o_.picture.empty()) return;
    if (input_.extents().rank() < 2) {
      throw UsageError("--picture: a line has no slice; it takes two or three dimensions");
    }
    require_writable(o_.picture);
  }

  void read_inputs() {
    const Bytes bytes{input_.extents().count() * input_.element_bytes()};
    for (std::size_t i = 0; i < setup_.inputs.size(); ++i) {
      packed_.emplace_back(queue_.device(), bytes, "the fields as they are in files");
      pointers_.push_back(packed_.back().data());
      if (setup_.inputs[i]) {
        const NotFinite odd = read_to_device(*setup_.inputs[i], queue_, packed_.back().data());
        if (odd.count() > 0) {
          fmt::print(stderr,
                     "ridge: {} holds {} NaN and {} infinite values, the first at {}; they pass "
                     "through\n",
                     to_text(setup_.inputs[i]->name()), odd.nan, odd.infinite, place(odd.first));
          seen_odd_ = true;
        }
      } else if (static_cast<int>(i) < run_.levels) {
        start_at_rest(packed_.back());
      } else {
        upload_friction(packed_.back());
      }
    }
  }

  [[nodiscard]] std::string place(Index at) const {
    const Extents& n = input_.extents();
    std::string where;
    for (int d = 0; d < n.rank(); ++d) {
      where += fmt::format("{}{}={}", d > 0 ? " " : "", "xyz"[d], at % n[d]);
      at /= n[d];
    }
    return where;
  }

  template <class F>
  void with_type(const F& f) const {
    if (input_.element_bytes() == 4) {
      f(float{});
    } else {
      f(double{});
    }
  }

  void start_at_rest(const Memory& before) {
    stencil::Sweeps half = setup_.at_rest->make(queue_, {pointers_.front()}, input_.extents().xyz(),
                                                setup_.boundaries, {});
    half.run(1);
    bring(half, 0, before);
    queue_.wait();
  }

  void upload_friction(const Memory& to) {
    with_type([&]<class T>(T) {
      const std::vector<T> values(setup_.friction.begin(), setup_.friction.end());
      copy_to_device(queue_, static_cast<T*>(to.data()), values.data(),
                     static_cast<Index>(values.size()));
      queue_.wait();
    });
  }

  void bring(stencil::Sweeps& sweeps, int input, const Memory& to) const {
    with_type([&]<class T>(T) {
      sweeps.read(input, View<T>(static_cast<T*>(to.data()), input_.extents().xyz()));
    });
  }

  void say_begin() const {
    if (o_.json) return;
    fmt::print("{} {} {} on {} ({}); dt {:g} ({}); boundary {}{}\n", run_.kernel,
               to_text(input_.extents()), input_.element_bytes() == 4 ? "fp32" : "fp64",
               run_.device, run_.device_name, run_.dt, setup_.dt_note, run_.boundary,
               run_.absorb.empty()
                   ? ""
                   : fmt::format("; absorbing {} in {} points", run_.absorb, run_.absorb_width));
    std::fflush(stdout);
  }

  /// Writes the present state.
  void keep() {
    std::vector<const void*> levels;
    for (int level = 0; level < run_.levels; ++level) {
      const Memory& to = packed_[static_cast<std::size_t>(level)];
      bring(*sweeps_, level, to);
      levels.push_back(to.data());
    }
    queue_.wait();
    NotFinite odd;
    const Index last = output_.steps().empty() ? -1 : output_.steps().back();
    try {
      odd = output_.write(run_, step_, input_, queue_, levels);
    } catch (const Failure& failure) {
      throw Failure(fmt::format("{}; stopped at step {}{}", failure.what(), step_,
                                last < 0 ? ""
                                         : fmt::format("; {} leads to the snapshots up to step {}",
                                                       output_.file().string(), last)));
    }
    progress_.clear();
    if (odd.count() > 0 && !seen_odd_) {
      seen_odd_ = true;
      fmt::print(stderr,
                 "ridge: step {} is the first snapshot with values that are not finite: {} NaN and "
                 "{} infinite, the first at {}; that of step {} had none\n",
                 step_, odd.nan, odd.infinite, place(odd.first), std::max<Index>(last, 0));
    }
    if (!o_.json) {
      fmt::print("step {:>10}  time {:g}\n", step_, static_cast<double>(step_) * run_.dt);
      std::fflush(stdout);
    }
  }

  void integrate() {
    using Clock = std::chrono::steady_clock;
    Index batch = 1;
    while (step_ < run_.target) {
      const Index next = (step_ / run_.every + 1) * run_.every;
      const Index stop = std::min({run_.target, next, step_ + batch});
      const Index steps = stop - step_;
      const auto begin = Clock::now();
      sweeps_->run(steps);
      queue_.wait();
      const double took = std::chrono::duration<double>(Clock::now() - begin).count();
      seconds_ += took;
      step_ = stop;
      if (took < response / 2 && steps == batch) batch *= 2;
      if (took > response) batch = std::max<Index>(1, batch / 2);
      const bool due = step_ % run_.every == 0 || step_ == run_.target;
      if (due) keep();
      progress_.show(fmt::format("step {} of {}", step_, run_.target),
                     static_cast<double>(step_ - first_) /
                         static_cast<double>(run_.target - first_));
      stop_if_asked(due);
    }
    progress_.clear();
  }

  /// After Ctrl-C: keeps what there is, so that a restart goes on from here.
  void stop_if_asked(bool kept_already) {
    if (step_ == run_.target) return; // all is done
    try {
      check_interrupt();
    } catch (const Interrupted&) {
      if (!kept_already) keep();
      throw Failure(
          fmt::format("interrupted at step {} of {}; {} leads to it: go on with --restart", step_,
                      run_.target, output_.file().string()));
    }
  }

  void finish() {
    if (!o_.picture.empty()) draw();
    Record record = sweeps_->record();
    record.size = input_.extents();
    record.schedule = run_.schedule;
    const auto steps = static_cast<double>(run_.target - first_);
    const Seconds each{seconds_ / steps};
    record.timing = Timing{each, each, each, static_cast<int>(std::min(steps, 2e9))};
    const double bytes = static_cast<double>(record.work.read.value + record.work.written.value);
    record.achieved = Achievement{bytes / each.value, "B/s", 0, ""};
    record.details.push_back({"steps", steps, ""});
    record.details.push_back({"dt", run_.dt, ""});
    record.details.push_back(
        {"points_per_second", static_cast<double>(record.work.items) / each.value, ""});
    if (o_.json) {
      fmt::print("{}\n", to_json(std::vector{record}));
      return;
    }
    fmt::print("{} steps in {}, {} a step, {:.3g} points a second; wrote {} and {}{}\n",
               run_.target - first_, to_text(Seconds{seconds_}), to_text(each),
               static_cast<double>(record.work.items) / each.value, output_.file().string(),
               output_.xdmf().string(), o_.picture.empty() ? "" : " and " + o_.picture);
  }

  /// The plane in the middle of z.
  void draw() {
    const Index3 n = input_.extents().xyz();
    const Memory& to = packed_.front();
    bring(*sweeps_, 0, to);
    std::vector<double> values;
    with_type([&]<class T>(T) {
      std::vector<T> plane(static_cast<std::size_t>(n.x * n.y));
      copy_to_host(queue_, plane.data(), static_cast<const T*>(to.data()) + n.z / 2 * n.x * n.y,
                   n.x * n.y);
      queue_.wait();
      values.assign(plane.begin(), plane.end());
    });
    write_picture(o_.picture, values, n.x, n.y,
                  run_.spacing.y * static_cast<double>(n.y) /
                      (run_.spacing.x * static_cast<double>(n.x)));
  }

  const EvolveOptions& o_;
  EvolveSetup setup_;
  EvolveRun& run_;
  Queue queue_;
  const InputDataset& input_;
  bool goes_on_;
  Index step_, first_ = 0;
  EvolveOutput output_;
  std::vector<Memory> packed_;
  std::vector<const void*> pointers_;
  std::optional<stencil::Sweeps> sweeps_;
  Progress progress_;
  bool seen_odd_ = false;
  double seconds_ = 0;
};

std::string footer() {
  std::string lines = "built-in kernels:\n";
  for (const lab::EvolvingKernel& k : lab::evolving_kernels())
    lines += fmt::format("  {:<10} {}\n", k.name, k.meaning);
  return lines + "\nCtrl-C writes a last snapshot to go on from. See docs/sweeps.md.\n";
}

} // namespace

void add_evolve(CommandLine& line) {
  const Command command = line.add_command(
      "evolve", "many sweeps of a stencil over a dataset of yours, with boundaries and snapshots");
  auto o = std::make_shared<EvolveOptions>();
  command.add("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own");
  command.add("INPUT", &o->input,
              "FILE.h5:/path: the start, an HDF5 dataset of 1 to 3 dimensions, fp32 or fp64");
  command.add(
      "-o,--output", &o->output,
      "FILE.h5: leads to the snapshots, FILE.STEP.h5, with FILE.xdmf beside it for ParaView");
  command.add("--steps", &o->steps, "steps to take; 1000 if not given");
  command.add("--dt", &o->dt,
              "time of a step, or auto: 0.9 of the largest stable one; auto if not given");
  command.add(
      "--boundary", &o->boundary,
      "such as x=periodic,y=dirichlet:0,z-=neumann:1,z+=mirror, or dirichlet:FILE.h5:/path; "
      "faces that are not named stay untouched");
  command.add("--every", &o->every, "steps between snapshots; a tenth of --steps if not given");
  command.add("--spacing", &o->spacing, "between points: XxYxZ, x first, or one number for all");
  command.add("--diffusivity", &o->diffusivity, "of heat; 1 if not given");
  command.add("--speed", &o->speed, "of waves; 1 if not given");
  command.add("--before", &o->before,
              "FILE.h5:/path: waves one step before the start; at rest if not given");
  command.add("--coefficient", &o->coefficients,
              "FILE.h5:/path: a coefficient field; may be repeated");
  command.add("--absorb", &o->absorb, "faces that absorb waves: a list such as x,y-, or all");
  command.add("--absorb-width", &o->absorb_width, "points of an absorbing layer; 20 if not given");
  command.add("--set", &o->settings,
              "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated");
  command.add("--restart", &o->restart,
              "FILE.h5: go on from the last snapshot of this run, bit by bit");
  command.add("--picture", &o->picture, "PNG of the plane in the middle of z at the end");
  command.add("--device", &o->device, "auto, cpu, cuda:N, hip:N, simt:32, simt:64");
  command.add("--schedule", &o->schedule, "auto, a name, or fields such as 'rows=16 store=plain'");
  command.add("--overwrite", &o->overwrite, "replace the output file when it exists");
  command.add("--json", &o->json, "print an array with the record of a step");
  command.set_footer(footer());
  command.set_action([o] { EvolveCommand(*o, make_setup(*o)).execute(); });
}

} // namespace ridge::app
