// Conjugate gradients whose iterations are apart from their solutions: of several right-hand sides
// at once, and in single precision within double.
#include <ridge/solve/cg.hpp>

#include "updates.hpp"

namespace ridge::solve {

UpdatedSolver::UpdatedSolver(std::unique_ptr<Workspace> work, Operator<double> apply)
    : work_(std::move(work)), apply_(std::move(apply)),
      q_(work_->queue(), work_->count(), "the operator's result"),
      best_(work_->queue(), work_->count(), "the best solution"), forecast_(work_->columns()) {}

std::vector<Solved> UpdatedSolver::solve(Span<double> x, Span<const double> b,
                                         const Options& options, const Measure& measure,
                                         const Narrow& narrow) {
  work_->set_reproducible(options.reproducible);
  const Beside beside{q_.span(), best_.span()};
  Options rest = options;
  std::vector<Solved> first;
  if (narrow) {
    first = narrow(beside);
    bool enough = true;
    for (const Solved& one : first) {
      enough = enough && !one.rounding && !one.broken;
      rest.most_iterations =
          std::min(rest.most_iterations, options.most_iterations - one.iterations);
    }
    if (enough || first.front().stopped || rest.most_iterations <= 0) return first;
  }
  if (!wide_) wide_ = std::make_unique<ApartIterations<double>>(*work_, apply_);
  wide_->bind(rest, forecast_);
  std::vector<Solved> then =
      solve_by_updates(*work_, apply_, *wide_, beside, x, b, Drop(0), rest, measure);
  if (!narrow) return then;
  for (std::size_t c = 0; c < first.size(); ++c)
    join(first[c], then[c]);
  return first;
}

/// Iterations in single precision, or only in double.
struct MixedSolver : UpdatedSolver {
  MixedSolver(std::unique_ptr<Workspace> workspace, Operator<double> wide,
              const Operator<float>& inner, double first_drop)
      : UpdatedSolver(std::move(workspace), std::move(wide)), drop(first_drop) {
    if (inner) narrow = std::make_unique<ApartIterations<float>>(work(), inner);
  }
  std::vector<Solved> by_columns(Span<double> x, Span<const double> b, const Options& options,
                                 const Measure& measure) {
    Narrow first;
    if (narrow) {
      first = [&](const Beside& beside) {
        narrow->bind(options, forecast());
        return solve_by_updates(work(), apply(), *narrow, beside, x, b, Drop(drop), options,
                                measure);
      };
    }
    return solve(x, b, options, measure, first);
  }

  double drop;
  std::unique_ptr<ApartIterations<float>> narrow;
};

struct ColumnsCg::State : MixedSolver {
  using MixedSolver::MixedSolver;
};
struct MixedCg::State : MixedSolver {
  using MixedSolver::MixedSolver;
};

ColumnsCg::ColumnsCg(Queue& queue, Operator<double> apply, Index count, const GroupOrder& columns,
                     comm::Communicator* ranks)
    : ColumnsCg(queue, std::move(apply), {}, count, columns, 0, ranks) {}
ColumnsCg::ColumnsCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
                     const GroupOrder& columns, double drop, comm::Communicator* ranks)
    : state_(std::make_unique<State>(std::make_unique<Workspace>(queue, count, columns, ranks),
                                     std::move(apply), inner, drop)) {}
ColumnsCg::~ColumnsCg() = default;

std::vector<Solved> ColumnsCg::solve(Span<double> x, Span<const double> b, const Options& options,
                                     const Measure& measure) {
  return state_->by_columns(x, b, options, measure);
}

MixedCg::MixedCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
                 double drop, comm::Communicator* ranks)
    : state_(std::make_unique<State>(std::make_unique<Workspace>(queue, count, ranks),
                                     std::move(apply), inner, drop)) {}
MixedCg::~MixedCg() = default;

Solved MixedCg::solve(Span<double> x, Span<const double> b, const Options& options,
                      const Measure& measure) {
  return state_->by_columns(x, b, options, measure).front();
}

ColumnNorms::ColumnNorms(Queue& queue, Index count, const GroupOrder& columns,
                         comm::Communicator* ranks)
    : work_(queue, count, columns, ranks) {}

std::vector<double> ColumnNorms::operator()(Span<const double> x, bool reproducible) {
  work_.set_reproducible(reproducible);
  Chain sum;
  add_sum<Dot<double>, TakeSource>(sum, work_, {x, x});
  sum.run();
  work_.ask(0);
  std::vector<double> all;
  for (int c = 0; c < work_.columns(); ++c)
    all.push_back(scalars_of(work_.answer(0), static_cast<std::size_t>(c))[source2]);
  return all;
}

} // namespace ridge::solve
