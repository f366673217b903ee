// `ridge solve wilson`: propagators of Wilson fermions.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/gauge/clover_solver.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#include <ridge/lattice/rank_gather.hpp>

#include "gauge_commands.hpp"
#include "gauge_input.hpp"
#include "propagator_command.hpp"
#include "solve_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

class WilsonColumns final : public ColumnSolver {
public:
  WilsonColumns(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                const Extents& extents, const gauge::HostLinks& links,
                const gauge::WilsonNumbers& numbers, const gauge::Boundary& boundary,
                gauge::WilsonSolver::Method method)
      : ranks_(ranks), queue_(queue),
        solver_(ranks, grid, queue, extents, links, numbers, boundary, method),
        b_(queue.device(), solver_.lattice(), "the source"),
        x_(queue.device(), solver_.lattice(), "the solution") {}

  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    set(x, b);
    const solve::Solved solved = solver_.solve(x_, b_, options);
    x = get_whole(ranks_, queue_, x_, solver_.part());
    return solved;
  }
  double residual(const io::Column& x, const io::Column& b) override {
    set(x, b);
    return solver_.residual(x_, b_);
  }
  std::vector<solve::Solved> solve_shifted(std::vector<io::Column>& x, const io::Column& b,
                                           const std::vector<double>& shifts,
                                           const solve::Options& options) override {
    set(b, b);
    std::vector<gauge::Fermion<double>> fields;
    std::vector<const gauge::Fermion<double>*> found;
    for (std::size_t i = 0; i < x.size(); ++i)
      fields.emplace_back(queue_.device(), solver_.lattice(), "the solution");
    for (const auto& field : fields)
      found.push_back(&field);
    const auto solved = solver_.solve_shifted(found, b_, shifts, options);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = get_whole(ranks_, queue_, fields[i], solver_.part());
    return solved;
  }

private:
  void set(const io::Column& x, const io::Column& b) {
    const lattice::RankLattice& part = solver_.part();
    set_owned(queue_, b_, part, lattice::owned_of(b, part));
    set_owned(queue_, x_, part, lattice::owned_of(x, part));
  }

  comm::Communicator& ranks_;
  Queue& queue_;
  gauge::WilsonSolver solver_;
  gauge::Fermion<double> b_, x_;
};

/// Several columns at once.
class WilsonColumnsTogether final : public ColumnSolver {
public:
  WilsonColumnsTogether(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                        const Extents& extents, const gauge::HostLinks& links,
                        const gauge::WilsonNumbers& numbers, int columns,
                        const gauge::Boundary& boundary, gauge::WilsonColumns::Method method)
      : solver_(ranks, grid, queue, extents, links, numbers, columns, boundary, method) {}

  [[nodiscard]] int together() const override { return solver_.columns(); }
  std::vector<solve::Solved> solve_all(std::vector<io::Column>& x, const std::vector<io::Column>& b,
                                       const solve::Options& options) override {
    return solver_.solve(x, b, options);
  }
  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    std::vector<io::Column> all{x}, sources{b};
    all.resize(static_cast<std::size_t>(together()), io::Column(x.size()));
    sources.resize(all.size(), io::Column(x.size()));
    const solve::Solved solved = solver_.solve(all, sources, options).front();
    x = all.front();
    return solved;
  }
  double residual(const io::Column& x, const io::Column& b) override {
    const auto n = static_cast<std::size_t>(together());
    return solver_.residuals(std::vector(n, x), std::vector(n, b)).front();
  }

private:
  gauge::WilsonColumns solver_;
};

class CloverColumns final : public ColumnSolver {
public:
  CloverColumns(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                const Extents& extents, const gauge::HostLinks& links,
                const gauge::WilsonNumbers& numbers, double csw, const gauge::Boundary& boundary)
      : solver_(ranks, grid, queue, extents, links, numbers, csw, boundary) {}

  solve::Solved solve(io::Column& x, const io::Column& b, const solve::Options& options) override {
    return solver_.solve(x, b, options);
  }
  double residual(const io::Column& x, const io::Column& b) override {
    return solver_.residual(x, b);
  }

private:
  gauge::CloverSolver solver_;
};

class WilsonCommand final : public PropagatorCommand {
public:
  explicit WilsonCommand(const Command& command) {
    add_options(command);
    command.add("--kappa", &kappa, "the hopping parameter");
    command.add("--mass", &mass, "the bare mass instead, 1 / (2 kappa) - 4");
    command.add("--csw", &csw,
                "the clover term's coefficient: by cg in fp64; no term if not given");
    command.add("--solver", &solver, "cg (if not given): on D^+ D; or bicgstab, on D, in fp64");
    command.add("--precision", &precision,
                "mixed: fp32 within fp64 (if not given); fixed16: 16 bits within fp64; or fp64");
    command.add("--from", &from, "FILE.h5: a propagator to begin from");
    command.add(
        "--shifts", &shifts_text,
        "S,S,...: (D^+ D + S) x = D^+ b for each, by one solve with several shifts in fp64");
    command.add(
        "--columns", &columns,
        "1, 2, 3, 4, 6 or 12: by cg so many at once, links read once for all of them; what the "
        "memory holds if not given");
    add_rank_grid(command, &grid);
    command.set_footer("\nCtrl-C keeps what was reached, to go on by --from.\n");
  }

private:
  using Method = gauge::WilsonSolver::Method;

  void check() const override {
    if (!precision.empty() && !fixed16() && precision != "mixed" && precision != "fp64")
      throw UsageError(fmt::format("--precision {}: expected mixed, fixed16 or fp64", precision));
    if (fixed16() && (csw || solver == "bicgstab" || !shifts_text.empty() || reproducible ||
                      ranks().ranks() > 1 || (columns && *columns > 1)))
      throw UsageError("--precision fixed16 is for --solver cg of one column on one rank, without "
                       "--csw, --shifts and --reproducible");
    choose("--solver", solver, "cg", "bicgstab");
    if (solver == "bicgstab" && precision == "mixed")
      throw UsageError("--precision mixed is for --solver cg");
    if (ranks().ranks() > 1 && solver == "bicgstab") {
      throw UsageError(
          fmt::format("--solver bicgstab is for one rank, and there are {}", ranks().ranks()));
    }
    if (reproducible && (solver == "bicgstab" || !shifts_text.empty()))
      throw UsageError("--reproducible is for --solver cg without --shifts");
    if (columns) {
      if (*columns < 1 || *columns > 12 || 12 % *columns != 0)
        throw UsageError(fmt::format("--columns {}: expected 1, 2, 3, 4, 6 or 12", *columns));
      if (*columns > 1 && (csw || solver == "bicgstab" || !shifts_text.empty()))
        throw UsageError("--columns is for --solver cg, without --csw and --shifts");
    }
    if (csw && !std::isfinite(*csw)) throw UsageError("--csw: expected a number");
    if (csw && (solver == "bicgstab" || precision == "mixed"))
      throw UsageError("--csw is for --solver cg and --precision fp64");
    if (!shifts_text.empty()) {
      (void)shifts();
      if (csw || solver == "bicgstab" || precision == "mixed" || !from.empty())
        throw UsageError(
            "--shifts is for --solver cg and --precision fp64, without --csw and --from");
    }
    if (kappa && mass) throw UsageError("--kappa and --mass: give one of them, not both");
    if (!kappa && !mass) throw UsageError("either --kappa or --mass is needed");
    if (kappa && !std::isfinite(*kappa)) throw UsageError("--kappa: expected a number");
    if (mass && !(std::isfinite(*mass) && *mass != -4))
      throw UsageError("--mass: expected a number other than -4");
  }
  [[nodiscard]] bool fixed16() const { return precision == "fixed16"; }
  [[nodiscard]] Method method() const {
    if (solver == "bicgstab") return Method::bicgstab;
    return precision == "fp64" || csw || !shifts_text.empty() ? Method::cg : Method::mixed_cg;
  }
  [[nodiscard]] std::unique_ptr<ColumnSolver> make(Queue& queue, const Extents& extents,
                                                   const gauge::HostLinks& links) const override {
    const gauge::WilsonNumbers numbers = kappa ? gauge::by_kappa(*kappa) : gauge::by_mass(*mass);
    if (csw) {
      return std::make_unique<CloverColumns>(ranks(), stored_ranks(ranks(), extents, grid), queue,
                                             extents, links, numbers, *csw, fermion_boundary());
    }
    const int at_once = fixed16() ? 1 : together(queue.device(), extents);
    if (at_once > 1 || fixed16()) {
      using Together = gauge::WilsonColumns::Method;
      return std::make_unique<WilsonColumnsTogether>(ranks(), stored_ranks(ranks(), extents, grid),
                                                     queue, extents, links, numbers, at_once,
                                                     fermion_boundary(),
                                                     fixed16()                ? Together::fixed16_cg
                                                     : method() == Method::cg ? Together::cg
                                                                              : Together::mixed_cg);
    }
    return std::make_unique<WilsonColumns>(ranks(), part_of(ranks(), extents, grid).ranks(), queue,
                                           extents, links, numbers, fermion_boundary(), method());
  }
  /// How many columns are solved at once.
  [[nodiscard]] int together(const Device& where, const Extents& extents) const {
    bool even = true;
    for (int d = 0; d < extents.rank(); ++d)
      even = even && extents[d] % 2 == 0;
    if (columns) {
      if (*columns > 1 && !even) {
        throw UsageError(fmt::format("--columns {}: several at once need even extents, not {}",
                                     *columns, to_text(extents)));
      }
      return static_cast<int>(*columns);
    }
    // Bits depend on how many are solved at once, and that on the memory.
    const bool can = even && solver == "cg" && !csw && shifts_text.empty() && !reproducible;
    if (!can || facts_of(where).is_emulated) return 1;
    const auto memory = ranks().gather(where.free_memory().value);
    const auto least = static_cast<double>(*std::min_element(memory.begin(), memory.end()));
    // For a column its solver holds eighteen fermions in double on half the sites.
    const double each = 18 * 96 * static_cast<double>(extents.count()) / ranks().ranks();
    for (const int most : {12, 6, 4, 3, 2})
      if (most * each < 0.7 * least) return most;
    return 1;
  }
  [[nodiscard]] std::vector<io::PropagatorNumber> numbers() const override {
    std::vector<io::PropagatorNumber> all{{"kappa", kappa ? *kappa : 0.5 / (*mass + 4)}};
    if (csw) all.push_back({"csw", *csw});
    return all;
  }
  [[nodiscard]] std::string name() const override { return csw ? "clover" : "wilson"; }
  [[nodiscard]] std::string precision_text() const override {
    if (fixed16()) return precision;
    return method() == Method::mixed_cg ? "mixed" : "fp64";
  }
  [[nodiscard]] std::string solver_text() const override { return solver; }
  [[nodiscard]] bool can_go_on() const override { return shifts_text.empty(); }
  [[nodiscard]] std::vector<double> shifts() const override { return parse_shifts(shifts_text); }

  std::optional<double> kappa, mass, csw;
  std::optional<Index> columns;
  std::string precision, solver = "cg", grid, shifts_text;
};

} // namespace

void add_solve_wilson(const Command& solve) {
  const Command command =
      solve.add_command("wilson", "D x = b of Wilson fermions: a propagator of 12 columns");
  auto o = std::make_shared<WilsonCommand>(command);
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
