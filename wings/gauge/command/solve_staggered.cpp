// `ridge solve staggered`: propagators of staggered fermions.
#include <ridge/gauge/staggered_solver.hpp>

#include "commands.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"
#include "propagator_command.hpp"

#include <cmath>

namespace ridge::app {

namespace {

/// A column has its colour vectors as the first spin component.
class StaggeredColumns final : public Columns<gauge::StaggeredSolver> {
public:
  using Columns::Columns;
  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    auto found = vectors(x);
    const solve::Solved solved = solver_.solve(found, vectors(b), options);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i](0) = found[i];
    return solved;
  }
  double residual(const io::Column& x, const io::Column& b) override {
    return solver_.residual(vectors(x), vectors(b));
  }

  std::vector<solve::Solved> solve_shifted(std::vector<io::Column>& x, const io::Column& b,
                                           const std::vector<double>& shifts,
                                           const solve::Options& options) override {
    std::vector<gauge::StaggeredSolver::Sites> found;
    const auto solved = solver_.solve_shifted(found, vectors(b), shifts, options);
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t at = 0; at < b.size(); ++at)
        x[i][at](0) = found[i][at];
    return solved;
  }

private:
  static gauge::StaggeredSolver::Sites vectors(const io::Column& column) {
    gauge::StaggeredSolver::Sites all(column.size());
    for (std::size_t i = 0; i < column.size(); ++i)
      all[i] = column[i](0);
    return all;
  }
};

class StaggeredCommand final : public PropagatorCommand {
public:
  explicit StaggeredCommand(const Command& command) {
    add_options(command);
    command.add({{"--mass", &mass_, "of the quark, not 0: D = mass + hops / 2"},
                 rank_grid_row(&grid),
                 {"--shifts", &shifts_text_,
                  "S,S,...: (D^+ D + S) x = D^+ b for each, by one solve with several shifts"}});
    command.set_footer("\nThree columns of a colour vector a site. Ctrl-C keeps the columns that "
                       "are done.\n");
  }

private:
  void check() const override {
    refuse_if(!shifts().empty() && (reproducible || ranks().ranks() > 1),
              "--shifts is for one rank, without --reproducible");
    refuse_if(!mass_ || *mass_ == 0 || !std::isfinite(*mass_),
              "--mass is needed, a number other than 0");
  }
  [[nodiscard]] std::unique_ptr<ColumnSolver> make(Queue& queue, const Extents& extents,
                                                   const gauge::HostLinks& links) const override {
    return std::make_unique<StaggeredColumns>(ranks(), stored_grid(extents), queue, extents, links,
                                              *mass_, fermion_boundary());
  }
  [[nodiscard]] std::vector<io::PropagatorNumber> numbers() const override {
    return {{"mass", *mass_}};
  }
  [[nodiscard]] std::string name() const override { return "staggered"; }
  [[nodiscard]] std::string precision_text() const override { return "fp64"; }
  [[nodiscard]] std::string solver_text() const override { return "cg"; }
  [[nodiscard]] bool can_go_on() const override { return false; }
  [[nodiscard]] int spins() const override { return 1; }
  [[nodiscard]] std::vector<double> shifts() const override { return parse_shifts(shifts_text_); }

  std::optional<double> mass_;
  std::string shifts_text_;
};

} // namespace

void add_solve_staggered(const Command& solve) {
  const Command command =
      solve.add_command("staggered", "D x = b of staggered fermions: a propagator of 3 columns");
  auto o = std::make_shared<StaggeredCommand>(command);
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
