#include "model.hpp"

#include <ridge/atmosphere/sweeps.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/graph.hpp>

#include <fmt/format.h>

#include <cmath>

namespace ridge::atmosphere {

namespace {

using chain::ProfileSlot;

constexpr Index graph_steps = 8; ///< of one graph: an even number, after which states are in place
constexpr double rounding = 1e-9;
constexpr Index least_cells = 4; ///< that interpolation takes along a direction

/// The stages of a sweep are shorter steps from the same state.
constexpr std::array<double, 3> stage_parts{1.0 / 3, 1.0 / 2, 1.0};

Forcing forcing_of(const Setup& s, double dx, double dz) {
  if (s.which != Case::gravity_waves) return {0, 0, 0, 1, 1};
  return {0.01, 2500 / dx, 1000 / dz, dx / 500, dz / 500};
}

template <class F, class A, int K = 0, class Sweep>
void set_stages(Sweep& sweep, F&& flux, A&& advance) {
  if constexpr (K < 6) {
    const double part = stage_parts[K / 2];
    flux(std::get<K>(sweep.operations), part);
    advance(std::get<K + 1>(sweep.operations), part);
    set_stages<F, A, K + 2>(sweep, std::forward<F>(flux), std::forward<A>(advance));
  }
}

SweepX sweep_x(const Setup& s, double step) {
  const double dx = length / static_cast<double>(s.nx);
  const double dz = height / static_cast<double>(s.nz);
  SweepX sweep{};
  set_stages(
      sweep,
      [&](auto& flux, double part) {
        flux.viscosity = -diffusion * dx / (16 * step * part);
        flux.inject_z = 7500 / dz - 0.5;
        flux.inject_rows = s.which == Case::injection ? 625 / dz : -1;
      },
      [&](auto& advance, double part) {
        advance.step = step * part;
        advance.over_size = step * part / dx;
        advance.forcing = forcing_of(s, dx, dz);
      });
  return sweep;
}

SweepZ sweep_z(const Setup& s, const Profiles& p, double step) {
  const double dx = length / static_cast<double>(s.nx);
  const double dz = height / static_cast<double>(s.nz);
  SweepZ sweep{};
  set_stages(
      sweep,
      [&](auto& flux, double part) {
        flux.viscosity = -diffusion * dz / (16 * step * part);
        for (std::size_t i = 0; i < 2; ++i) {
          flux.below[i] = p.below[i];
          flux.above[i] = p.above[i];
        }
      },
      [&](auto& advance, double part) {
        advance.step = step * part;
        advance.over_size = step * part / dz;
        advance.forcing = forcing_of(s, dx, dz);
      });
  return sweep;
}

const Setup& checked(const Setup& s) {
  if (s.nx < least_cells || s.nz < least_cells) {
    throw UsageError(
        fmt::format("{}x{} cells are too few; the interpolation takes at least {} along "
                    "x and along z",
                    s.nx, s.nz, least_cells));
  }
  if (s.nz > (Index{1} << 30)) throw UsageError(fmt::format("{} cells along z are too many", s.nz));
  const double stable =
      stable_step(length / static_cast<double>(s.nx), height / static_cast<double>(s.nz));
  if (s.step && !(*s.step > 0 && *s.step <= stable)) {
    throw UsageError(
        fmt::format("a time step of {} s is {}; for {}x{} cells steps of up to {:.6g} s "
                    "are stable",
                    *s.step, *s.step > 0 ? "beyond stability" : "no step", s.nx, s.nz, stable));
  }
  return s;
}

template <class Sweep>
chain::Schedule schedule_of(const Device& device, const Setup& s) {
  const chain::Description d = chain::describe<Sweep, double>();
  const Index3 n{s.nx, s.nz, 1};
  const bool own = std::is_same_v<Sweep, SweepZ> && !s.schedule_z.empty();
  const std::string& text = own ? s.schedule_z : s.schedule;
  chain::Schedule schedule = chain::parse_schedule(text, device, d, n).schedule;
  // Launches of a whole sweep are short, and steps repeat.
  auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
  if (gpu != nullptr && text == "auto" && gpu->fuse == chain::fuse_all)
    gpu->graph = chain::Graph::on;
  return schedule;
}

bool is_graphed(const chain::Schedule& schedule) {
  const auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
  return gpu != nullptr && gpu->graph == chain::Graph::on;
}
/// Without a graph of its own: several sweeps share one.
chain::Schedule plain(chain::Schedule schedule) {
  if (auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule)) gpu->graph = chain::Graph::off;
  return schedule;
}

} // namespace

/// Steps come in pairs: x then z, z then x. Each sweep goes from one of two states to the other.
struct Atmosphere::Parts {
  Parts(const Device& device, const Setup& s)
      : setup(checked(s)), queue(device),
        rest(atmosphere::profiles(s.which, static_cast<int>(s.nz))),
        step_length(setup.step.value_or(
            stable_step(length / static_cast<double>(s.nx), height / static_cast<double>(s.nz)))) {
    for (auto& state : states) {
      for (int v = 0; v < variables; ++v)
        state.emplace_back(device, Extents{s.nx, s.nz}, "the state of the atmosphere");
    }
    const auto profile = [&](const std::vector<double>& values) {
      Field<double>& field =
          columns.emplace_back(device, Extents{1, static_cast<Index>(values.size())});
      copy_to_device(queue, field.data(), values.data(), field.count());
      return View<const double>(field.view());
    };
    density = profile(rest.density);
    heat = profile(rest.heat);
    faces = {profile(rest.face_density), profile(rest.face_heat), profile(rest.face_pressure)};
    in_x = schedule_of<SweepX>(device, setup);
    in_z = schedule_of<SweepZ>(device, setup);
    set_step(step_length);
    start();
  }

  /// Steps of that length from now on.
  void set_step(double step) {
    if (step == current_step) return;
    current_step = step;
    graph.reset();
    const Index3 n{setup.nx, setup.nz, 1};
    for (std::size_t from = 0; from < 2; ++from) {
      chain::Views<SweepX, double> x;
      set_states(x, from);
      x.set(ProfileSlot<cell_density>{}, density).set(ProfileSlot<cell_heat>{}, heat);
      along_x[from].emplace(queue, chain::Request<SweepX, double>{sweep_x(setup, step), n, x},
                            plain(in_x));
      chain::Views<SweepZ, double> z;
      set_states(z, from);
      z.set(ProfileSlot<cell_density>{}, density);
      z.set(ProfileSlot<face_density>{}, faces[0]);
      z.set(ProfileSlot<face_heat>{}, faces[1]);
      z.set(ProfileSlot<face_pressure>{}, faces[2]);
      along_z[from].emplace(queue, chain::Request<SweepZ, double>{sweep_z(setup, rest, step), n, z},
                            plain(in_z));
    }
  }

  template <class Sweep>
  void set_states(chain::Views<Sweep, double>& views, std::size_t from) {
    const auto& begin = states[from];
    const auto& end = states[1 - from];
    views.set(Slot<before>{}, begin[0].view()).set(Slot<before + 1>{}, begin[1].view());
    views.set(Slot<before + 2>{}, begin[2].view()).set(Slot<before + 3>{}, begin[3].view());
    views.set(Slot<after>{}, end[0].view()).set(Slot<after + 1>{}, end[1].view());
    views.set(Slot<after + 2>{}, end[2].view()).set(Slot<after + 3>{}, end[3].view());
  }

  void start() {
    State initial;
    const double dx = length / static_cast<double>(setup.nx);
    const double dz = height / static_cast<double>(setup.nz);
    for (auto& values : initial.of)
      values.resize(static_cast<std::size_t>(setup.nx * setup.nz));
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(setup.nz, thread, threads);
      for (Index k = mine.begin; k < mine.end; ++k) {
        for (Index i = 0; i < setup.nx; ++i) {
          const Cell cell = initial_cell(setup.which, (static_cast<double>(i) + 0.5) * dx,
                                         (static_cast<double>(k) + 0.5) * dz, dx, dz);
          for (std::size_t v = 0; v < cell.size(); ++v)
            initial.of[v][static_cast<std::size_t>(k * setup.nx + i)] = cell[v];
        }
      }
    });
    for (std::size_t v = 0; v < initial.of.size(); ++v)
      copy_to_device(queue, states[0][v].data(), initial.of[v].data(), states[0][v].count());
    queue.wait();
  }

  void give_step(bool x_first) {
    if (x_first) {
      along_x[0]->run();
      along_z[1]->run();
    } else {
      along_z[0]->run();
      along_x[1]->run();
    }
  }
  void one_step(double length_now) {
    set_step(length_now);
    give_step(done % 2 == 0);
    ++done;
    time += length_now;
  }
  void graph_launch() {
    set_step(step_length);
    if (!graph) {
      graph = std::make_unique<Graph>(queue, [this] {
        for (Index i = 0; i < graph_steps; ++i)
          give_step(i % 2 == 0);
      });
    }
    graph->launch();
    done += graph_steps;
    for (Index i = 0; i < graph_steps; ++i)
      time += step_length;
  }

  Setup setup;
  Queue queue;
  Profiles rest;
  double step_length;
  double current_step = 0;
  double time = 0;
  Index done = 0;
  std::array<std::vector<Field<double>>, 2> states;
  std::vector<Field<double>> columns;
  View<const double> density, heat;
  std::array<View<const double>, 3> faces;
  chain::Schedule in_x, in_z;
  std::array<std::optional<Program>, 2> along_x, along_z;
  std::unique_ptr<Graph> graph;
};

Atmosphere::Atmosphere(const Device& device, const Setup& setup)
    : parts_(std::make_unique<Parts>(device, setup)) {}
Atmosphere::~Atmosphere() = default;

const Setup& Atmosphere::setup() const {
  return parts_->setup;
}
double Atmosphere::time() const {
  return parts_->time;
}
double Atmosphere::step_length() const {
  return parts_->step_length;
}
Index Atmosphere::steps_done() const {
  return parts_->done;
}
const Profiles& Atmosphere::profiles() const {
  return parts_->rest;
}
Queue& Atmosphere::queue() {
  return parts_->queue;
}

void Atmosphere::step(double end) {
  Parts& p = *parts_;
  const double left = end - p.time;
  if (left <= 0) return;
  if (std::abs(left - p.step_length) <= rounding * p.step_length) {
    p.one_step(p.step_length); // a whole step, but for the rounding of the time
    p.time = end;
  } else {
    p.one_step(std::min(left, p.step_length));
  }
}
void Atmosphere::advance(double end, Index most) {
  Parts& p = *parts_;
  for (Index done = 0; done < most && p.time < end;) {
    const bool whole = p.time + graph_steps * p.step_length <= end && p.done % 2 == 0;
    if (whole && is_graphed(p.in_x)) {
      p.graph_launch();
      done += graph_steps;
    } else {
      step(end);
      ++done;
    }
  }
}
void Atmosphere::wait() {
  parts_->queue.wait();
}

State Atmosphere::state() {
  State host;
  for (std::size_t v = 0; v < host.of.size(); ++v) {
    const Field<double>& field = parts_->states[0][v];
    host.of[v].resize(static_cast<std::size_t>(field.count()));
    copy_to_host(parts_->queue, host.of[v].data(), field.data(), field.count());
  }
  wait();
  return host;
}

Totals Atmosphere::totals() {
  return totals_of(state(), parts_->rest, parts_->setup.nx, parts_->setup.nz);
}

std::vector<Record> Atmosphere::records() const {
  const Parts& p = *parts_;
  std::vector<Record> both{p.along_x[0]->record(), p.along_z[0]->record()};
  both[0].schedule = chain::to_text(p.in_x);
  both[1].schedule = chain::to_text(p.in_z);
  return both;
}

} // namespace ridge::atmosphere
