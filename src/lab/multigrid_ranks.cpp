// The lab's cycles of multigrid over ranks.
#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/lab/rank_case.hpp>
#include <ridge/solve/grid/multigrid.hpp>

#include "multigrid_bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace ridge::lab {

namespace {

using solve::CycleSchedule;

comm::Grid slabs_of(const solve::GridProblem& problem, const comm::Communicator& ranks,
                    const std::string& asked) {
  comm::Grid grid = solve::grid_of_ranks(problem, ranks.ranks());
  if (!asked.empty() && asked != comm::to_text(grid.ranks()))
    throw UsageError(fmt::format("--ranks {}: levels are shared along z alone, {}", asked,
                                 comm::to_text(grid.ranks())));
  return grid;
}

template <class T>
class RankMultigridCase final : public RankCase {
public:
  RankMultigridCase(const BenchRequest& request, comm::Communicator& ranks, const std::string& grid)
      : ranks_(ranks), queue_(request.device), size_(request.size),
        problem_(cycle_problem(request)), grid_(slabs_of(problem_, ranks, grid)),
        f_(request.device, mine(ranks.rank()), "the right-hand side"),
        solver_(queue_, problem_, ranks), schedule_(cycle_of(request, solver_.levels().size())) {
    fill_random(queue_, f_.elements(), 42 + static_cast<std::uint64_t>(ranks.rank()));
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  void bind() override { solver_.begin(View<const T>(f_.view())); }
  void run() override {
    both_.run(queue_, can_be_recorded(), [this] { solver_.give_cycle(schedule_); });
  }
  void run_exchange() override {
    exchange_.run(queue_, can_be_recorded(), [this] { solver_.give_messages(); });
  }
  void run_compute() override {
    compute_.run(queue_, true, [this] { solver_.give_cycle(schedule_, false); });
  }
  [[nodiscard]] bool exchanges() const override { return ranks_.ranks() > 1; }
  [[nodiscard]] Extents share() const override {
    Index most = 0;
    for (int r = 0; r < ranks_.ranks(); ++r)
      most = std::max(most, mine(r)[2]);
    return Extents{size_.xyz().x, size_.xyz().y, most};
  }

  /// Cycles from zero, each of which leaves an eighth or so of the residual: what a halo of the
  /// wrong planes would stop.
  [[nodiscard]] Check check() override {
    constexpr int cycles = 4;
    constexpr double of_each = 0.35;
    solver_.begin(View<const T>(f_.view()));
    for (int i = 0; i < cycles; ++i)
      solver_.give_cycle({});
    Check check;
    check.max_error = solver_.relative_residual();
    check.against = "a residual of 0";
    const double most = std::pow(of_each, cycles);
    check.ok = check.max_error <= most; // NaN is not
    if (!check.ok)
      check.message = fmt::format("{} cycles leave {:.2g} of the residual; {:.2g} is right", cycles,
                                  check.max_error, most);
    return worst_of(ranks_, check);
  }

  [[nodiscard]] Record record() override {
    Record r = cycle_record(queue_.device(), solver_.levels(), schedule_,
                            solver_.least_bytes(schedule_), sizeof(T));
    r.size = size_;
    r.ranks = ranks_.ranks();
    r.in_cache = 3 * f_.count() * static_cast<Index>(sizeof(T)) <=
                 queue_.device().facts().last_level_cache.value;
    const auto messages = solver_.messages();
    r.details.push_back({"rank_grid", 0, comm::to_text(grid_.ranks())});
    r.details.push_back({"carrier", 0, exchanges() ? comm::to_text(messages.carrier) : "none"});
    r.details.push_back({"exchange_bytes", ranks_.sum(messages.bytes), {}});
    r.details.push_back({"levels", static_cast<double>(solver_.levels().size()), {}});
    r.details.push_back({"shared_levels", static_cast<double>(messages.shared_levels), {}});
    return r;
  }

private:
  [[nodiscard]] Extents mine(int rank) const {
    const Index3 n = grid_.owned(rank).extents();
    return Extents{n.x, n.y, n.z};
  }
  [[nodiscard]] bool can_be_recorded() const { return solver_.messages().can_be_recorded; }

  comm::Communicator& ranks_;
  Queue queue_;
  Extents size_;
  solve::GridProblem problem_;
  comm::Grid grid_;
  Field<T> f_;
  solve::Multigrid<T> solver_;
  CycleSchedule schedule_;
  Repeated both_, exchange_, compute_;
};

} // namespace

std::unique_ptr<RankCase> rank_multigrid_case(const BenchRequest& request,
                                              comm::Communicator& ranks, const std::string& grid) {
  if (request.precision == "fp32")
    return std::make_unique<RankMultigridCase<float>>(request, ranks, grid);
  return std::make_unique<RankMultigridCase<double>>(request, ranks, grid);
}

} // namespace ridge::lab
