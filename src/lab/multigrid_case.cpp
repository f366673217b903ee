// The lab's cycles of multigrid.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/rank_case.hpp>
#include <ridge/solve/grid/multigrid.hpp>

#include "multigrid_bench.hpp"
#include "text_menu.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace ridge::lab {

namespace {

using solve::CycleSchedule;
using solve::CycleShape;
using Schedule = std::variant<CycleSchedule>;
using NamedCycle = text::Named<Schedule>;

std::vector<NamedCycle> named_cycles(int levels) {
  std::vector<NamedCycle> all{{"v", CycleSchedule{}},
                              {"w", CycleSchedule{.cycle = CycleShape::w}},
                              {"full", CycleSchedule{.cycle = CycleShape::full}}};
  for (int l = 1; l < levels; ++l)
    all.push_back({fmt::format("level{}", l), CycleSchedule{.level = l}});
  return all;
}

std::unique_ptr<Menu> menu_of(const Place& place, int levels) {
  const auto names = [levels] { return named_cycles(levels); };
  return std::make_unique<TextMenu<Schedule>>(
      place,
      TextMenu<Schedule>::Source{
          [=, device = to_text(place.device.id())](const std::string& t) {
            return text::parse_named(t, device, Schedule(CycleSchedule{}), names);
          },
          names, [] { return std::vector<Schedule>{CycleSchedule{}}; }, "cycles of multigrid"});
}

template <class T>
class MultigridCase final : public Case {
public:
  explicit MultigridCase(const BenchRequest& request)
      : queue_(request.device), size_(request.size), measure_(request.measure),
        f_(request.device, request.size, "the right-hand side"),
        solver_(std::make_shared<solve::Multigrid<T>>(queue_, cycle_problem(request))) {
    fill_random(queue_, f_.elements(), 42);
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    return {&typeid(solve::Multigrid<T>), "multigrid", sizeof(T) == 4 ? "fp32" : "fp64", size_};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(place, static_cast<int>(solver_->levels().size()));
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
      solver_->give_cycle({});
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
      return measure(
                 queue_, [&] { launch.run(); }, measure_)
          .median.value;
    };
    if (record.achieved) record.achieved->rate = bytes_ / record.timing->median.value;
    const Index3 n = levels[static_cast<std::size_t>(schedule_.level)];
    if (schedule_.level > 0) record.size = Extents{n.x, n.y, n.z};
    record.details.push_back({"levels", static_cast<double>(levels.size()), {}});
    record.details.push_back({"unknowns_per_second",
                              static_cast<double>(n.x * n.y * n.z) / record.timing->median.value,
                              {}});
    if (schedule_ != CycleSchedule{}) return;
    const std::vector<solve::LevelWork> work = solver_->level_work();
    double before = record.timing->median.value;
    for (std::size_t l = 1; l <= levels.size(); ++l) {
      const double rest = l < levels.size() ? seconds({.level = static_cast<int>(l)}) : 0;
      const solve::LevelWork& on = work[l - 1];
      const auto add = [&](const char* what, double number) {
        record.details.push_back(
            {fmt::format("{}_{}x{}x{}", what, on.points.x, on.points.y, on.points.z), number, {}});
      };
      add("seconds", std::max(before - rest, 0.0));
      add("bytes", on.least);
      add("moved", on.moved);
      add("launches", on.launches);
      before = rest;
    }
  }

private:
  /// Repeats a cycle, on GPUs as one graph.
  [[nodiscard]] Bound bound(const CycleSchedule& schedule) {
    return Bound([this, schedule, repeated = std::make_shared<Repeated>()] {
      repeated->run(queue_, true, [this, schedule] { solver_->give_cycle(schedule); });
    });
  }

  [[nodiscard]] Record record(const CycleSchedule& schedule) const {
    Record r = cycle_record(queue_.device(), solver_->levels(), schedule,
                            solver_->least_bytes(schedule), sizeof(T));
    r.size = size_;
    return r;
  }

  Queue queue_;
  Extents size_;
  MeasureOptions measure_;
  Field<T> f_;
  std::shared_ptr<solve::Multigrid<T>> solver_;
  CycleSchedule schedule_;
  double bytes_ = 0; ///< least ones of the cycle that was bound last
};

void check_precision(const BenchRequest& request) {
  if (request.precision != "fp32" && request.precision != "fp64")
    throw UsageError(
        fmt::format("unknown precision '{}'; multigrid has fp32 and fp64", request.precision));
}

} // namespace

solve::GridProblem cycle_problem(const BenchRequest& request) {
  if (request.boundary != "untouched")
    return solve::parse_grid_problem(request.size.xyz(), request.boundary);
  std::string walls;
  for (int d = 0; d < request.size.rank(); ++d)
    walls += fmt::format("{}{}=dirichlet:0", d > 0 ? "," : "", "xyz"[d]);
  return solve::parse_grid_problem(request.size.xyz(), walls);
}

CycleSchedule cycle_of(const BenchRequest& request, std::size_t levels) {
  const Place place{request.device, {}, true};
  return text::parse<CycleSchedule>(
      menu_of(place, static_cast<int>(levels))->parse(request.schedule).text);
}

Record cycle_record(const Device& device, const std::vector<Index3>& levels,
                    const CycleSchedule& schedule, double bytes, std::size_t number_bytes) {
  Record r;
  r.pattern = "solve";
  r.kernel = "multigrid";
  r.device = device.id();
  r.device_name = device.facts().name;
  r.precision = number_bytes == 4 ? "fp32" : "fp64";
  r.schedule = text::print(schedule);
  r.compiled = "ahead";
  const Index3 n = levels[static_cast<std::size_t>(schedule.level)];
  r.work.items = n.x * n.y * n.z;
  r.work.read = Bytes{static_cast<Index>(std::llround(bytes * 2 / 3))};
  r.work.written = Bytes{static_cast<Index>(std::llround(bytes / 3))};
  r.work.convention = "bytes: on both ways a level reads u and f and writes u, and the next "
                      "level's pass between; items: points solved for";
  return r;
}

void add_multigrid(std::vector<BenchKernel>& kernels) {
  BenchKernel kernel{"multigrid", "solve",
                     "a cycle of multigrid for Poisson's equation; levelN begins on level N",
                     Extents{256, 256, 256},
                     [](const BenchRequest& request, RoofSource&) -> std::unique_ptr<Case> {
                       check_precision(request);
                       if (request.precision == "fp32")
                         return std::make_unique<MultigridCase<float>>(request);
                       return std::make_unique<MultigridCase<double>>(request);
                     }};
  kernel.make_rank_case = [](const BenchRequest& request, comm::Communicator& ranks,
                             const std::string& grid) {
    check_precision(request);
    return rank_multigrid_case(request, ranks, grid);
  };
  kernel.tunes = false;
  kernels.push_back(std::move(kernel));
}

} // namespace ridge::lab
