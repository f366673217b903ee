// Cycles of multigrid, for `ridge bench` and `ridge doctor`.
#include <ridge/comm/carrier.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/doctor/levels.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/rank_shares.hpp>
#include <ridge/pattern/text_menu.hpp>
#include <ridge/record/operations.hpp>

#include "operations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace ridge::solve {

namespace {

using Schedule = std::variant<CycleSchedule>;
using NamedCycle = text::Named<Schedule>;

std::vector<NamedCycle> named_cycles(int levels) {
  std::vector<NamedCycle> all{{"v", CycleSchedule{}},
                              {"w", CycleSchedule{.cycle = CycleShape::w}},
                              {"f", CycleSchedule{.cycle = CycleShape::f}},
                              {"full", CycleSchedule{.cycle = CycleShape::full}}};
  for (int l = 1; l < levels; ++l)
    all.push_back({fmt::format("level{}", l), CycleSchedule{.level = l}});
  return all;
}

/// A cycle's schedules. Those of the space, and those around one, are V cycles from the finest
/// level: they do the same work, so that the fastest may be kept.
class CycleMenu final : public TextMenu<Schedule> {
public:
  CycleMenu(const Place& place, int levels)
      : TextMenu(place, {[=, device = to_text(place.device.id())](const std::string& t) {
                           return text::parse_named(t, device, Schedule(CycleSchedule{}),
                                                    [levels] { return named_cycles(levels); });
                         },
                         [levels] { return named_cycles(levels); },
                         [marches = marches_on(place.device)] {
                           return text::space_of<Schedule, CycleSchedule>(
                               [marches](const CycleSchedule& s) {
                                 return is_usual(s) && (marches || s == CycleSchedule{});
                               });
                         },
                         "cycles of multigrid"}) {}
  [[nodiscard]] std::vector<NamedText> changes(const std::string& schedule) const override {
    auto all = TextMenu::changes(schedule);
    std::erase_if(all, [](const NamedText& s) { return !is_usual(s.text); });
    return marches_on(place().device) ? all : std::vector<NamedText>{};
  }
  [[nodiscard]] std::vector<std::string> around(const std::string& schedule) const override {
    auto all = TextMenu::around(schedule);
    std::erase_if(all, [](const std::string& s) { return !is_usual(s); });
    return marches_on(place().device) ? all : std::vector<std::string>{};
  }

private:
  static bool marches_on(const Device& device) {
    return find_offer(device.kind(), typeid(detail::WayDown<double>)) != nullptr;
  }
  static bool is_usual(const CycleSchedule& s) { return s.cycle == CycleShape::v && s.level == 0; }
  static bool is_usual(const std::string& s) { return is_usual(text::parse<CycleSchedule>(s)); }
};

/// The equation that cycles are timed on: dirichlet faces unless the request has others.
GridProblem cycle_problem(const BenchRequest& request) {
  const std::string boundary = request.options.get("boundary", "untouched");
  if (boundary != "untouched") return parse_grid_problem(request.size.xyz(), boundary);
  std::string walls;
  for (int d = 0; d < request.size.rank(); ++d)
    walls += fmt::format("{}{}=dirichlet:0", d > 0 ? "," : "", "xyz"[d]);
  return parse_grid_problem(request.size.xyz(), walls);
}

template <class T>
class MultigridCase : public Case {
public:
  explicit MultigridCase(const BenchRequest& request)
      : MultigridCase(request, request.size, 42, cycle_problem(request)) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    return {&typeid(Multigrid<T>), "multigrid", sizeof(T) == 4 ? "fp32" : "fp64", size_};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return std::make_unique<CycleMenu>(place, static_cast<int>(solver_->levels().size()));
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    schedule_ = text::parse<CycleSchedule>(menu().parse(s.text).text);
    bytes_ = solver_->least_bytes(schedule_);
    return {queue_, bound(schedule_), [this, chosen = schedule_] { return record(chosen); }};
  }
  void poison() override { solver_->begin(View<const T>(f_.view())); }
  /// One cycle from zero leaves little of the residual. Cycles from coarser levels solve other
  /// equations: they are followed by one from the finest, which needs them.
  [[nodiscard]] Check check() override {
    if (schedule_.level > 0) {
      solver_->begin(View<const T>(f_.view()));
      CycleSchedule finest = schedule_;
      finest.level = 0;
      solver_->give_cycle(finest);
    }
    constexpr double tolerance = 0.35;
    Check check;
    check.max_error = solver_->relative_residual();
    check.against = "a residual of 0";
    check.ok = check.max_error <= tolerance; // NaN is not
    if (!check.ok)
      check.message = fmt::format("a cycle leaves {:.2g} of the residual; {} is right",
                                  check.max_error, tolerance);
    return check;
  }
  [[nodiscard]] Limit limit() const override {
    return {"copy", "B/s", bytes_ > 0 ? bytes_ : solver_->least_bytes({})};
  }
  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    const std::vector<Index3> levels = solver_->levels();
    const auto seconds = [&](const CycleSchedule& s) {
      const Bound launch = bound(s);
      return measure(queue_, [&] { launch.run(); }, measure_).median.value;
    };
    if (record.achieved) record.achieved->rate = bytes_ / record.timing->median.value;
    const Index3 n = levels[static_cast<std::size_t>(schedule_.level)];
    if (schedule_.level > 0) record.size = Extents{n.x, n.y, n.z};
    record.details.push_back({"levels", static_cast<double>(levels.size()), {}});
    record.details.push_back({"unknowns_per_second",
                              static_cast<double>(n.x * n.y * n.z) / record.timing->median.value,
                              {}});
    if (const std::string tiles = solver_->tiles(); !tiles.empty())
      record.details.push_back({"tiles", 0, tiles});
    if (schedule_.cycle != CycleShape::v || schedule_.level != 0) return;
    const std::vector<LevelWork> work = solver_->level_work();
    const double all = record.timing->median.value;
    double before = all;
    double spared = 0; // by the tiles that are known to be good
    for (std::size_t l = 1; l <= levels.size(); ++l) {
      CycleSchedule coarser = schedule_;
      coarser.level = static_cast<int>(l);
      const double rest = l < levels.size() ? seconds(coarser) : 0;
      const LevelWork& on = work[l - 1];
      const auto add = [&](const char* what, double number) {
        record.details.push_back(
            {fmt::format("{}_{}x{}x{}", what, on.points.x, on.points.y, on.points.z), number, {}});
      };
      const double own = std::max(before - rest, 0.0);
      spared += own * (1 - 1 / on.excess);
      add("seconds", own);
      add("bytes", on.least);
      add("moved", on.moved);
      add("launches", on.launches);
      before = rest;
    }
    if (schedule_ != CycleSchedule{})
      record.details.push_back({doctor::default_gain, all / (all - spared), {}});
  }

protected:
  /// Of a problem of which this rank has `held`.
  template <class... Ranks>
  MultigridCase(const BenchRequest& request, const Extents& held, std::uint64_t seed,
                const GridProblem& problem, Ranks&... ranks)
      : queue_(request.device), size_(request.size), measure_(request.measure),
        f_(request.device, held, "the right-hand side"),
        solver_(std::make_shared<Multigrid<T>>(queue_, problem, ranks...)) {
    fill_random(queue_, f_.elements(), seed);
  }

  /// Repeats a cycle, on GPUs as one graph.
  [[nodiscard]] Bound bound(const CycleSchedule& schedule) {
    return Bound([this, schedule, repeated = std::make_shared<Repeated>()] {
      repeated->run(queue_, true, [this, schedule] { solver_->give_cycle(schedule); });
    });
  }

  [[nodiscard]] Record record(const CycleSchedule& schedule) const {
    Record r;
    r.pattern = "solve";
    r.kernel = "multigrid";
    r.device = queue_.device().id();
    r.device_name = queue_.device().facts().name;
    r.precision = sizeof(T) == 4 ? "fp32" : "fp64";
    r.size = size_;
    r.schedule = text::print(schedule);
    r.compiled = "ahead";
    const Index3 n = solver_->levels()[static_cast<std::size_t>(schedule.level)];
    const double bytes = solver_->least_bytes(schedule);
    r.work.items = n.x * n.y * n.z;
    r.work.read = Bytes{static_cast<Index>(std::llround(bytes * 2 / 3))};
    r.work.written = Bytes{static_cast<Index>(std::llround(bytes / 3))};
    r.work.flops = unknown_operations;
    r.work.convention = "bytes: on both ways a level reads u and f and writes u, and the next "
                        "level's pass between; items: points solved for; flops: not counted";
    return r;
  }

  Queue queue_;
  Extents size_;
  MeasureOptions measure_;
  Field<T> f_;
  std::shared_ptr<Multigrid<T>> solver_;
  CycleSchedule schedule_;
  double bytes_ = 0; ///< least ones of the cycle that was bound last
};

comm::Grid slabs_of(const GridProblem& problem, const comm::Communicator& ranks,
                    const std::string& asked) {
  comm::Grid grid = grid_of_ranks(problem, ranks.ranks());
  if (!asked.empty() && asked != comm::to_text(grid.ranks()))
    throw UsageError(fmt::format("--ranks {}: levels are shared along z alone, {}", asked,
                                 comm::to_text(grid.ranks())));
  return grid;
}

/// Levels shared along z.
template <class T>
class RankMultigridCase final : public MultigridCase<T>, private comm::Step {
public:
  explicit RankMultigridCase(const BenchRequest& request)
      : RankMultigridCase(request, cycle_problem(request)) {}

  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    (void)Base::bind(s);
    return this->program_of_ranks();
  }
  /// Cycles from zero, each of which leaves an eighth or so of the residual: what a halo of the
  /// wrong planes would stop.
  [[nodiscard]] Check check() override {
    constexpr int cycles = 4;
    constexpr double of_each = 0.35;
    this->solver_->begin(View<const T>(this->f_.view()));
    for (int i = 0; i < cycles; ++i)
      this->solver_->give_cycle(this->schedule_);
    Check check;
    check.max_error = this->solver_->relative_residual();
    check.against = "a residual of 0";
    const double most = std::pow(of_each, cycles);
    check.ok = check.max_error <= most; // NaN is not
    if (!check.ok)
      check.message = fmt::format("{} cycles leave {:.2g} of the residual; {:.2g} is right", cycles,
                                  check.max_error, most);
    return check;
  }

  void complete(Record& /*record*/, const AskedSchedule& /*schedule*/) override {}
  [[nodiscard]] comm::Step* ranks() override { return this; }
  [[nodiscard]] Extents share() const override { return greatest_share(grid_, 3); }

private:
  using Base = MultigridCase<T>;

  RankMultigridCase(const BenchRequest& request, const GridProblem& problem)
      : RankMultigridCase(request, problem,
                          slabs_of(problem, *request.world.ranks, request.world.grid)) {}
  RankMultigridCase(const BenchRequest& request, const GridProblem& problem, const comm::Grid& grid)
      : Base(request, own_of(grid, request.world.ranks->rank()),
             42 + static_cast<std::uint64_t>(request.world.ranks->rank()), problem,
             *request.world.ranks),
        ranks_(*request.world.ranks), grid_(grid) {}

  [[nodiscard]] static Extents own_of(const comm::Grid& grid, int rank) {
    const Index3 n = grid.owned(rank).extents();
    return {n.x, n.y, n.z};
  }
  [[nodiscard]] bool can_be_recorded() const { return this->solver_->messages().can_be_recorded; }

  void run() override {
    both_.run(this->queue_, can_be_recorded(),
              [this] { this->solver_->give_cycle(this->schedule_); });
  }
  void run_exchange() override {
    exchange_.run(this->queue_, can_be_recorded(), [this] { this->solver_->give_messages(); });
  }
  void run_compute() override {
    compute_.run(this->queue_, true, [this] { this->solver_->give_cycle(this->schedule_, false); });
  }
  [[nodiscard]] bool exchanges() const override { return ranks_.ranks() > 1; }
  [[nodiscard]] Record record() const override {
    Record r = Base::record(this->schedule_);
    r.ranks = ranks_.ranks();
    r.in_cache = 3 * this->f_.count() * static_cast<Index>(sizeof(T)) <=
                 this->queue_.device().facts().last_level_cache.value;
    const auto messages = this->solver_->messages();
    r.details.push_back({"rank_grid", 0, comm::to_text(grid_.ranks())});
    r.details.push_back({"carrier", 0, exchanges() ? comm::to_text(messages.carrier) : "none"});
    r.details.push_back({"exchange_bytes", ranks_.sum(messages.bytes), {}});
    r.details.push_back({"levels", static_cast<double>(this->solver_->levels().size()), {}});
    r.details.push_back({"tiles", 0, this->solver_->tiles()});
    r.details.push_back({"shared_levels", static_cast<double>(messages.shared_levels), {}});
    if (messages.grouped_levels > 0)
      r.details.push_back({"grouped_levels", static_cast<double>(messages.grouped_levels), {}});
    return r;
  }

  comm::Communicator& ranks_;
  comm::Grid grid_;
  Repeated both_, exchange_, compute_;
};

template <template <class> class C>
std::unique_ptr<Case> in_precision(const BenchRequest& request) {
  return ridge::in_precision(request.precision, "multigrid",
                             [&]<class T>(T /*number*/) -> std::unique_ptr<Case> {
                               return std::make_unique<C<T>>(request);
                             });
}

const KernelsAnnounced cycles(5, [] {
  BenchKernel kernel{"multigrid", "solve",
                     "a cycle of multigrid for Poisson's equation; levelN begins on level N",
                     Extents{256, 256, 256}, [](const BenchRequest& request, RoofSource&) {
                       return in_precision<MultigridCase>(request);
                     }};
  kernel.add_ranks([](const BenchRequest& request, RoofSource&) {
    return in_precision<RankMultigridCase>(request);
  });
  return std::vector{kernel};
});

} // namespace

} // namespace ridge::solve
