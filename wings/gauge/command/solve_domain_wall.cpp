// `ridge solve dwf` and `mobius`: propagators of domain-wall fermions.
#include <ridge/gauge/domain_wall.hpp>

#include "commands.hpp"
#include "core/refuse.hpp"
#include "gauge_input.hpp"
#include "propagator_command.hpp"

#include <cmath>

namespace ridge::app {

namespace {

class DomainWallColumns final : public Columns<gauge::DomainWallSolver> {
public:
  using Columns::Columns;
  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    return solver_.propagate(x, b, options, &midpoint_);
  }
  [[nodiscard]] const io::Column* midpoint() const override { return &midpoint_; }
  /// Of a column that was not begun: it is 0.
  double residual(const io::Column& /*x*/, const io::Column& /*b*/) override { return 1; }

private:
  io::Column midpoint_;
};

class DomainWallCommand final : public PropagatorCommand {
public:
  DomainWallCommand(const Command& command, bool moebius) : moebius_(moebius) {
    add_options(command);
    command.add({{"--mass", &mass_, "of the quark"},
                 {"--ls", &values_, "values of the fifth dimension; 16 if not given"},
                 {"--m5", &m5_, "the wall's height, between 0 and 2; 1.8 if not given"}});
    if (moebius) {
      command.add({{"--b5", &b_, "of Moebius's kernel; 1.5 if not given"},
                   {"--c5", &c_, "of Moebius's kernel; 0.5 if not given"}});
    }
    command.add({{"--precision", &precision_, "mixed: fp32 within fp64 (if not given), or fp64"},
                 rank_grid_row(&grid)});
    command.set_footer("\nA residual is that of the system in five dimensions. Ctrl-C keeps the "
                       "columns that are done.\n");
  }

private:
  void check() const override {
    (void)is_first("--precision", precision_, "mixed", "fp64");
    refuse_if(!mass_ || !std::isfinite(*mass_), "--mass is needed");
    refuse_if(values_ < 2 || values_ > 128, "--ls {}: expected 2 to 128", values_);
    refuse_if(!(m5_ > 0 && m5_ < 2), "--m5 {}: expected a number between 0 and 2", m5_);
    refuse_if(!(std::isfinite(b_) && std::isfinite(c_) && b_ + c_ > 0),
              "--b5 {} --c5 {}: expected a positive sum", b_, c_);
  }
  [[nodiscard]] std::unique_ptr<ColumnSolver> make(Queue& queue, const Extents& extents,
                                                   const gauge::HostLinks& links) const override {
    const gauge::DomainWallNumbers n{*mass_, m5_, static_cast<int>(values_), moebius_ ? b_ : 1,
                                     moebius_ ? c_ : 0};
    using Method = gauge::DomainWallSolver::Method;
    return std::make_unique<DomainWallColumns>(
        ranks(), stored_grid(extents), queue, extents, links, n, fermion_boundary(),
        precision_ == "mixed" ? Method::mixed_cg : Method::cg);
  }
  [[nodiscard]] std::vector<io::PropagatorNumber> numbers() const override {
    return {{"mass", *mass_},
            {"ls", static_cast<double>(values_)},
            {"m5", m5_},
            {"b5", moebius_ ? b_ : 1},
            {"c5", moebius_ ? c_ : 0}};
  }
  [[nodiscard]] std::string name() const override { return moebius_ ? "mobius" : "dwf"; }
  [[nodiscard]] std::string precision_text() const override { return precision_; }
  [[nodiscard]] std::string solver_text() const override { return "cg"; }
  [[nodiscard]] bool can_go_on() const override { return false; }

  bool moebius_;
  std::optional<double> mass_;
  std::string precision_ = "mixed";
  Index values_ = 16;
  double m5_ = 1.8, b_ = 1.5, c_ = 0.5;
};

} // namespace

void add_solve_domain_wall(const Command& solve) {
  for (const bool moebius : {false, true}) {
    const Command command =
        moebius
            ? solve.add_command("mobius", "D x = b of Moebius fermions: a propagator")
            : solve.add_command("dwf", "D x = b of domain-wall fermions (Shamir): a propagator");
    auto o = std::make_shared<DomainWallCommand>(command, moebius);
    command.set_action([o] { o->run(); }, Ranks::several);
  }
}

} // namespace ridge::app
