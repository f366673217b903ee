// `ridge gauge observables`: loops, and what the gradient flow makes of a configuration.
#include <ridge/comm/carrier.hpp>
#include <ridge/gauge/flow.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/loops.hpp>
#include <ridge/record/record.hpp>

#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "commands.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace ridge::app {

namespace {

struct ObservablesCommand {
  std::string file, output, size, device = "auto", loops;
  FormOptions form;
  double until = 0, step = 0.02;
  int configuration = 0;
  bool accept = false, overwrite = false, json = false;

  void run() {
    check();
    io::OutputPlan plan(overwrite);
    plan.reads(file, "the input");
    if (!output.empty()) {
      plan.writes(output, "the output");
      (void)form.form(output, {}); // wrong options are said before reading
    }
    plan.claim();
    io::GaugeFile read = read_configuration(file, size, accept, configuration);
    Queue queue(comm::device_of_rank(comm::world(), device));
    auto links = gauge::to_device(queue, gauge::Lattice(read.configuration.extents),
                                  read.configuration.links);
    const auto begin = std::chrono::steady_clock::now();
    gauge::MeasurePlaquette plaquette(queue, links);
    averages_ = plaquette();
    polyakov_ = gauge::polyakov_loop(queue, links);
    if (r_ > 0) loops_ = gauge::wilson_loops(queue, links, r_, t_, check_interrupt);
    check_interrupt();
    if (until > 0) flow(queue, links);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!output.empty()) {
      read.configuration.links = gauge::to_host(queue, links);
      write_configuration(comm::world(), plan, output, form.form(output, read.form),
                          read.configuration);
    }
    json ? print_record(plaquette.record()) : print();
  }

private:
  void check() {
    refuse_if(!(until >= 0) || !std::isfinite(until), "--flow {}: expected a time of at least 0",
              until);
    refuse_if(!(step > 0 && step <= 0.5), "--step {}: expected a number above 0, at most 0.5",
              step);
    refuse_if(until / step > 1e6, "--flow {} --step {}: more than a million steps", until, step);
    refuse_if(!output.empty() && until == 0,
              "-o: the links after the flow, and there is no --flow");
    if (loops.empty()) return;
    const Extents n = parse_extents(loops, "--loops");
    refuse_if(n.rank() != 2, "--loops {}: expected RxT, such as 4x4", loops);
    r_ = static_cast<int>(std::min<Index>(n[0], 1 << 20));
    t_ = static_cast<int>(std::min<Index>(n[1], 1 << 20));
  }

  void flow(Queue& queue, gauge::Links<double>& links) {
    gauge::GradientFlow along(queue, links);
    const auto steps = static_cast<Index>(std::ceil(until / step - 1e-9));
    Progress progress;
    points_.push_back(along.measure());
    for (Index i = 0; i < steps; ++i) {
      check_interrupt();
      along.advance(i + 1 < steps ? step : until - static_cast<double>(i) * step);
      points_.push_back(along.measure());
      progress.show(fmt::format("flow time {:.2f} of {:.2f}", points_.back().time, until),
                    static_cast<double>(i + 1) / static_cast<double>(steps));
    }
    progress.clear();
    fail_if(!std::isfinite(points_.back().clover),
            "the links are no numbers at flow time {}: a --step below {} is right", until, step);
  }

  void print() const {
    fmt::print("plaquette {:.12f}, link trace {:.12f}, Polyakov loop {:.10f} {:+.10f} i\n",
               averages_.plaquette, averages_.link_trace, polyakov_.re, polyakov_.im);
    for (const gauge::WilsonLoop& loop : loops_)
      fmt::print("{}W({},{}) {:.10f}{}", loop.r == 1 ? "" : "  ", loop.r, loop.t, loop.value,
                 loop.r == r_ ? "\n" : "");
    if (points_.empty()) return;
    fmt::print("{:>8} {:>14} {:>14} {:>12}\n", "t", "t^2 E clover", "plaquette", "charge");
    const std::size_t every = std::max<std::size_t>(1, points_.size() / 20);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const gauge::FlowPoint& p = points_[i];
      if (i % every != 0 && i + 1 != points_.size()) continue;
      fmt::print("{:>8.4f} {:>14.8f} {:>14.8f} {:>12.6f}\n", p.time, p.time * p.time * p.clover,
                 p.time * p.time * p.plaquette, p.charge);
    }
    const auto said = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.6f}", *value) : std::string("not reached");
    };
    fmt::print("t0 {}, w0 {}\n", said(gauge::flow_t0(points_)), said(gauge::flow_w0(points_)));
  }

  void print_record(Record record) const {
    record.kernel = "observables";
    Timing timing;
    timing.median = timing.least = timing.most = {seconds_};
    timing.repeats = 1;
    record.timing = timing;
    record.details.insert(record.details.end(), {{"plaquette", averages_.plaquette, ""},
                                                 {"link_trace", averages_.link_trace, ""},
                                                 {"polyakov_real", polyakov_.re, ""},
                                                 {"polyakov_imaginary", polyakov_.im, ""}});
    for (const gauge::WilsonLoop& loop : loops_)
      record.details.push_back({fmt::format("loop_{}x{}", loop.r, loop.t), loop.value, ""});
    const auto add = [&](const char* name, const auto& of) {
      std::string text;
      for (const gauge::FlowPoint& p : points_)
        text += fmt::format("{}{:.15g}", text.empty() ? "" : " ", of(p));
      record.details.push_back({name, 0, text});
    };
    if (!points_.empty()) {
      add("flow_time", [](const auto& p) { return p.time; });
      add("energy_clover", [](const auto& p) { return p.clover; });
      add("energy_plaquette", [](const auto& p) { return p.plaquette; });
      add("charge", [](const auto& p) { return p.charge; });
      if (const auto t0 = gauge::flow_t0(points_)) record.details.push_back({"t0", *t0, ""});
      if (const auto w0 = gauge::flow_w0(points_)) record.details.push_back({"w0", *w0, ""});
    }
    fmt::print("{}\n", to_json(std::vector{record}));
  }

  int r_ = 0, t_ = 0;
  double seconds_ = 0;
  gauge::LinkAverages averages_;
  lattice::Complex<double> polyakov_{0.0};
  std::vector<gauge::WilsonLoop> loops_;
  std::vector<gauge::FlowPoint> points_;
};

} // namespace

void add_observables(const Command& gauge) {
  const Command command = gauge.add_command(
      "observables", "Wilson and Polyakov loops; energy, charge, t0 and w0 by the gradient flow");
  auto o = std::make_shared<ObservablesCommand>();
  command.add({
      required("FILE", &o->file, gauge_forms),
      {"--loops", &o->loops, "RxT: all Wilson loops up to R links in space by T in time"},
      {"--flow", &o->until,
       "TIME: the Wilson flow until there, in units of a^2; none if not given"},
      {"--step", &o->step, "of the flow, third order; 0.02 if not given"},
      {"-o,--output", &o->output, "the links at the end of the flow"},
      {"--size", &o->size, "NXxNYxNZxNT that the file must have"},
  });
  command.add(o->form.rows());
  command.add({device_row(&o->device),
               configuration_row(&o->configuration),
               {"--accept", &o->accept, "go on though checks of the file fail"},
               {"--overwrite", &o->overwrite, "replace an output that exists"},
               {"--json", &o->json, "print an array with the record"}});
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
