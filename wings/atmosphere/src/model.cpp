#include "model.hpp"

#include <ridge/atmosphere/implicit.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/comm/field.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/kind.hpp>

#include "steps.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ridge::atmosphere {

namespace {

using chain::ProfileSlot;

constexpr Index graph_steps = 8; ///< of one graph: an even number, after which states are in place
constexpr double rounding = 1e-9;

comm::Communicator& one_rank() {
  static const std::unique_ptr<comm::Communicator> one = comm::alone();
  return *one;
}

/// A field of one value a row, from row `first` on.
View<const double> rows_of(const Field<double>& column, Index first, Index count) {
  const View<double> all = column.view();
  return View<const double>(View<double>(all.data + first, {1, count, 1}));
}

} // namespace

/// Rows `begin` to `end` of the whole field.
struct Rows {
  Index begin, end;
  [[nodiscard]] Index count() const { return end - begin; }
};

/// Rows of a rank, or programs of them: what other ranks wait for, and what is swept while that
/// travels.
template <class T>
struct Division {
  std::vector<T> outer, inner;
};

/// Steps come in pairs: x then z, z then x. Each sweep goes from one of two states to the other.
struct Atmosphere::Parts {
  Parts(const Device& device, const Setup& s, comm::Communicator& communicator)
      : ranks(communicator), setup(checked(s, ranks.ranks())), queue(device),
        grid(grid_of(setup, ranks.ranks())),
        rest(atmosphere::profiles(s.which, s.box.height, static_cast<int>(s.nz))),
        step_length(setup.step.value_or(stable_step(s))) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      for (int v = 0; v < variables; ++v)
        states[i].emplace_back(device, grid, ranks.rank(), "the state of the atmosphere", ahead());
      if (ranks.ranks() == 1 || (i == 0 && halo_serves_two())) continue;
      std::vector<comm::PaddedField> fields;
      for (const auto& field : states[i])
        fields.push_back(field.padded(grid.reach()));
      exchanges[i] = std::make_unique<comm::Exchange>(ranks, queue, grid, fields);
    }
    const auto profile = [&](const std::vector<double>& values) -> const Field<double>& {
      Field<double>& field =
          columns.emplace_back(device, Extents{1, static_cast<Index>(values.size())});
      copy_to_device(queue, field.data(), values.data(), field.count());
      return field;
    };
    columns.reserve(7);
    density = &profile(rest.density);
    heat = &profile(rest.heat);
    faces = {&profile(rest.face_density), &profile(rest.face_heat), &profile(rest.face_pressure)};
    stiff = &profile(rest.stiffness);
    theta = &profile(rest.face_theta);
    in_x = schedule_of<SweepX>(device, setup, owned().extents().y);
    in_z = s.implicit ? schedule_of<ImplicitStage>(device, setup, held().extents().y)
                      : schedule_of<SweepZ>(device, setup, held().extents().y);
    if (s.viscous()) in_both = schedule_of<ViscousStep>(device, setup, held().extents().y);
    for (int v = 0; v < variables && s.implicit; ++v)
      middle.emplace_back(device, Extents{s.nx, s.nz}, "a stage of the atmosphere");
    set_step(step_length);
    start();
  }

  /// Rows lie in cache lines as they do on one rank: which cells the cpu computes as packs, and
  /// with it last bits, depend on that.
  [[nodiscard]] Index ahead() const {
    constexpr Index line = 64 / sizeof(double);
    return grid.held(ranks.rank()).begin.y * setup.nx % line;
  }
  [[nodiscard]] const comm::Box& owned() const { return states[0][0].owned(); }
  [[nodiscard]] const comm::Box& held() const { return states[0][0].held(); }
  [[nodiscard]] bool halo_serves_two() const { return halo() > reach; }
  /// Rows of halo, at sides where there is another rank.
  [[nodiscard]] Index halo() const { return grid.reach().above().y; }
  /// The rows owned; where those that neighbours hold leave hardly others, nothing is inner.
  [[nodiscard]] Division<Rows> division() const {
    const Rows all{owned().begin.y, owned().end.y};
    Rows inner = all;
    if (ranks.rank() > 0) inner.begin += halo();
    if (ranks.rank() + 1 < ranks.ranks()) inner.end -= halo();
    if (inner.count() < halo()) return {{all}, {}};
    Division<Rows> parts{{}, {inner}};
    if (all.begin < inner.begin) parts.outer.push_back({all.begin, inner.begin});
    if (inner.end < all.end) parts.outer.push_back({inner.end, all.end});
    return parts;
  }
  /// Steps of that length from now on.
  void set_step(double step) {
    if (step == current_step) return;
    current_step = step;
    graph.reset();
    for (std::size_t from = 0; from < 2 && setup.viscous(); ++from)
      viscous[from].emplace(viscous_of(from, step));
    if (setup.implicit) {
      set_stages(step);
      return;
    }
    const Index first_held = held().begin.y;
    const Index3 n = held().extents();
    for (std::size_t from = 0; from < 2; ++from) {
      const auto sweeps_of = [&](const std::vector<Rows>& parts) {
        std::vector<Program> programs;
        for (const Rows& rows : parts)
          programs.push_back(sweep_of(rows, from, step));
        return programs;
      };
      const Division<Rows> parts = division();
      along_x[from] = {sweeps_of(parts.outer), sweeps_of(parts.inner)};
      along_z[from].emplace(queue,
                            chain::Request<SweepZ, double>{sweep_z(setup, rest, step, first_held),
                                                           n, views_z<SweepZ>(from)},
                            plain(in_z, n.y));
    }
  }
  /// Stages of implicit steps, which begin with either of the states.
  void set_stages(double step) {
    for (std::size_t from = 0; from < 2; ++from) {
      stages[from].clear();
      for (std::size_t number = 0; number < 3; ++number) {
        auto views = views_z<ImplicitStage>(from);
        const auto& held_state = number == 0 ? states[from] : states[1 - from];
        const auto view = [&](int v) {
          const auto i = static_cast<std::size_t>(v);
          return number == 2 ? middle[i].view() : held_state[i].view();
        };
        views.set(Slot<stage_state>{}, view(0)).set(Slot<stage_state + 1>{}, view(1));
        views.set(Slot<stage_state + 2>{}, view(2)).set(Slot<stage_state + 3>{}, view(3));
        if (number == 1) {
          views.set(Slot<after>{}, middle[0].view()).set(Slot<after + 1>{}, middle[1].view());
          views.set(Slot<after + 2>{}, middle[2].view()).set(Slot<after + 3>{}, middle[3].view());
        }
        const Index3 n{setup.nx, setup.nz, 1};
        views.set(ProfileSlot<stiffness>{}, rows_of(*stiff, 0, n.y));
        views.set(ProfileSlot<face_theta>{}, rows_of(*theta, 0, n.y + 1));
        views.set(ProfileSlot<rest_heat>{}, rows_of(*heat, 0, n.y));
        stages[from].emplace_back(queue,
                                  chain::Request<ImplicitStage, double>{
                                      implicit_stage(setup, rest, step, number), n, views},
                                  plain(in_z, n.y));
      }
    }
  }
  template <class Sweep>
  [[nodiscard]] chain::Views<Sweep, double> views_z(std::size_t from) {
    const Index first_held = held().begin.y;
    const Index rows = held().extents().y;
    chain::Views<Sweep, double> z;
    set_states(z, from, [](const auto& field) { return field.view(); });
    z.set(ProfileSlot<cell_density>{}, rows_of(*density, first_held, rows));
    z.set(ProfileSlot<face_density>{}, rows_of(*faces[0], first_held, rows + 1));
    z.set(ProfileSlot<face_heat>{}, rows_of(*faces[1], first_held, rows + 1));
    z.set(ProfileSlot<face_pressure>{}, rows_of(*faces[2], first_held, rows + 1));
    return z;
  }

  /// Of some of the rows owned, along x.
  [[nodiscard]] Program sweep_of(const Rows& rows, std::size_t from, double step) {
    const Index3 n{setup.nx, rows.count(), 1};
    chain::Views<SweepX, double> x;
    set_states(x, from, [&](const auto& field) {
      View<double> view = field.owned_view();
      view.data += view.at(0, rows.begin - owned().begin.y, 0);
      view.extents = n;
      return view;
    });
    x.set(ProfileSlot<cell_density>{}, rows_of(*density, rows.begin, n.y));
    x.set(ProfileSlot<cell_heat>{}, rows_of(*heat, rows.begin, n.y));
    return {queue, chain::Request<SweepX, double>{sweep_x(setup, step, rows.begin), n, x},
            plain(in_x, n.y)};
  }

  /// One step of viscosity, on one rank.
  [[nodiscard]] Program viscous_of(std::size_t from, double step) {
    const Index3 n{setup.nx, setup.nz, 1};
    chain::Views<ViscousStep, double> views;
    set_states(views, from, [](const auto& field) { return field.view(); });
    views.set(ProfileSlot<rest_density>{}, rows_of(*density, 0, n.y));
    views.set(ProfileSlot<rest_of_heat>{}, rows_of(*heat, 0, n.y));
    return {queue, chain::Request<ViscousStep, double>{viscous_step(setup, step), n, views},
            plain(in_both, n.y)};
  }

  template <class Sweep, class Rows>
  void set_states(chain::Views<Sweep, double>& views, std::size_t from, const Rows& rows) {
    const auto& begin = states[from];
    const auto& end = states[1 - from];
    views.set(Slot<before>{}, rows(begin[0])).set(Slot<before + 1>{}, rows(begin[1]));
    views.set(Slot<before + 2>{}, rows(begin[2])).set(Slot<before + 3>{}, rows(begin[3]));
    views.set(Slot<after>{}, rows(end[0])).set(Slot<after + 1>{}, rows(end[1]));
    views.set(Slot<after + 2>{}, rows(end[2])).set(Slot<after + 3>{}, rows(end[3]));
  }

  void start() {
    State initial;
    const double dx = setup.dx();
    const double dz = setup.dz();
    for (auto& values : initial.of)
      values.resize(static_cast<std::size_t>(held().count()));
    const Index first_held = held().begin.y;
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(held().extents().y, thread, threads);
      for (Index k = mine.begin; k < mine.end; ++k) {
        for (Index i = 0; i < setup.nx; ++i) {
          const Cell cell =
              initial_cell(setup.which, setup.box.length, (static_cast<double>(i) + 0.5) * dx,
                           (static_cast<double>(first_held + k) + 0.5) * dz, dx, dz);
          for (std::size_t v = 0; v < cell.size(); ++v)
            initial.of[v][static_cast<std::size_t>(k * setup.nx + i)] = cell[v];
        }
      }
    });
    for (std::size_t v = 0; v < initial.of.size(); ++v) {
      const Span<double> all = states[0][v].elements();
      copy_to_device(queue, all.data, initial.of[v].data(), all.size);
    }
    queue.wait();
  }

  /// The first of a pair of steps ends with z and the second begins with it. Where halos serve
  /// both, the second exchanges nothing.
  void give_step(bool x_first) {
    const std::size_t from = moves() && !x_first ? 1 : 0;
    if (setup.implicit) {
      for (const Program& stage : stages[from])
        stage.run();
      if (setup.viscous()) viscous[1 - from]->run();
      return;
    }
    const auto sweep = [](const Division<Program>& x, comm::Exchange* exchange) {
      for (const Program& outer : x.outer)
        outer.run();
      if (exchange != nullptr) exchange->begin();
      for (const Program& inner : x.inner)
        inner.run();
      if (exchange != nullptr) exchange->finish();
    };
    if (x_first) {
      sweep(along_x[from], exchanges[1].get());
      along_z[1 - from]->run();
    } else {
      if (exchanges[0]) exchanges[0]->run();
      along_z[from]->run();
      sweep(along_x[1 - from], nullptr);
    }
    if (setup.viscous()) viscous[from]->run();
  }
  /// A step ends with the other state: sweeps come in pairs and lead back to the first, implicit
  /// steps and those of viscosity do not.
  [[nodiscard]] bool moves() const { return setup.implicit != setup.viscous(); }
  /// The state reached.
  [[nodiscard]] std::size_t current() const {
    return moves() ? static_cast<std::size_t>(done % 2) : 0;
  }
  /// Whether several steps may be one launch: with exchanges not the first two, in which the
  /// carrier makes its connections.
  [[nodiscard]] bool takes_graphs() const {
    if (!is_graphed(in_x) || setup.implicit) return false;
    return !exchanges[1] || (done >= 2 && exchanges[1]->can_be_recorded());
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

  comm::Communicator& ranks;
  Setup setup;
  Queue queue;
  comm::Grid grid;
  Profiles rest;
  double step_length;
  double current_step = 0;
  double time = 0;
  Index done = 0;
  std::array<std::vector<comm::RankField<double>>, 2> states;
  std::array<std::unique_ptr<comm::Exchange>, 2> exchanges; ///< of rows; null where none is needed
  std::vector<Field<double>> columns;
  const Field<double>*density = nullptr, *heat = nullptr, *stiff = nullptr, *theta = nullptr;
  std::array<const Field<double>*, 3> faces{};
  chain::Schedule in_x, in_z, in_both;
  std::array<Division<Program>, 2> along_x;
  std::array<std::optional<Program>, 2> along_z, viscous;
  std::vector<Field<double>> middle; ///< between the stages of implicit steps
  std::array<std::vector<Program>, 2> stages;
  std::unique_ptr<Graph> graph;
};

Atmosphere::Atmosphere(const Device& device, const Setup& setup, comm::Communicator& ranks)
    : parts_(std::make_unique<Parts>(device, setup, ranks)) {}
Atmosphere::Atmosphere(const Device& device, const Setup& setup)
    : Atmosphere(device, setup, one_rank()) {}
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
    if (whole && p.takes_graphs()) {
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
  Parts& p = *parts_;
  const Index nx = p.setup.nx;
  const int me = p.ranks.rank();
  const auto count = static_cast<std::size_t>((me == 0 ? p.setup.nz : p.owned().extents().y) * nx);
  State host;
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  for (std::size_t v = 0; v < host.of.size(); ++v) {
    host.of[v].resize(count); // rank 0 has the first rows
    double* const rows = host.of[v].data();
    copy_to_host(p.queue, rows, p.states[p.current()][v].owned_view().data, p.owned().count());
    const int tag = static_cast<int>(v);
    if (me > 0) sends.push_back({rows, Bytes{p.owned().count() * 8}, 0, tag});
    for (int peer = 1; me == 0 && peer < p.ranks.ranks(); ++peer) {
      const comm::Box theirs = p.grid.owned(peer);
      receives.push_back({rows + theirs.begin.y * nx, Bytes{theirs.count() * 8}, peer, tag});
    }
  }
  wait();
  if (p.ranks.ranks() == 1) return host;
  p.ranks.exchange(std::move(sends), std::move(receives));
  return me == 0 ? std::move(host) : State{};
}

Totals Atmosphere::totals() {
  const State all = state();
  if (parts_->ranks.rank() > 0) return {};
  return totals_of(all, parts_->rest, parts_->setup);
}

std::vector<Record> Atmosphere::records() const {
  const Parts& p = *parts_;
  const auto and_viscosity = [&](std::vector<Record> all) {
    if (!p.setup.viscous()) return all;
    all.push_back(p.viscous[0]->record());
    all.back().size = Extents{p.setup.nx, p.setup.nz};
    return all;
  };
  if (p.setup.implicit) {
    Record stage = p.stages[0].front().record();
    stage.size = Extents{p.setup.nx, p.setup.nz};
    stage.work.flops *= 3;
    return and_viscosity({stage});
  }
  const Division<Program>& x = p.along_x[0];
  std::vector<Record> both{(x.inner.empty() ? x.outer : x.inner).front().record(),
                           p.along_z[0]->record()};
  both[0].schedule = chain::to_text(p.in_x);
  both[1].schedule = chain::to_text(p.in_z);
  const Index3 n{p.setup.nx, p.setup.nz, 1};
  both[0].work = chain::work_of(chain::describe<SweepX, double>(), n);
  both[1].work = chain::work_of(chain::describe<SweepZ, double>(), n);
  for (Record& sweep : both) {
    sweep.size = Extents{n.x, n.y};
    sweep.ranks = p.ranks.ranks();
  }
  return and_viscosity(std::move(both));
}

} // namespace ridge::atmosphere
