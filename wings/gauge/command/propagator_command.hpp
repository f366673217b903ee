// What the commands share that compute propagators: a configuration in, twelve columns out, and the
// pion's correlator.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/solve/solver.hpp>

#include "../io/hdf5/propagator_file.hpp"
#include "app/options.hpp"
#include "app/progress.hpp"
#include "hadrons.hpp"
#include "io/output_plan.hpp"

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ridge::app {

/// Solves D x = b, a column of a propagator each. Over ranks `b` and where it begins are given on
/// all of them, and what was found comes to rank 0.
class ColumnSolver {
public:
  virtual ~ColumnSolver() = default;
  /// `x`: where it begins, then what was found.
  virtual solve::Solved solve(io::Column& x, const io::Column& b,
                              const solve::Options& options) = 0;
  /// How many it solves at once.
  [[nodiscard]] virtual int together() const { return 1; }
  /// As many columns as it solves at once.
  virtual std::vector<solve::Solved> solve_all(std::vector<io::Column>& x,
                                               const std::vector<io::Column>& b,
                                               const solve::Options& options) {
    std::vector<solve::Solved> all;
    for (std::size_t i = 0; i < x.size(); ++i)
      all.push_back(solve(x[i], b[i], options));
    return all;
  }
  /// x[i] = (D^+ D + shifts[i])^-1 D^+ b. Of operators that have no such solver nobody asks.
  virtual std::vector<solve::Solved> solve_shifted(std::vector<io::Column>& /*x*/,
                                                   const io::Column& /*b*/,
                                                   const std::vector<double>& /*shifts*/,
                                                   const solve::Options& /*options*/) {
    return {};
  }
  /// The midpoint between domain walls, of the last solve.
  [[nodiscard]] virtual const io::Column* midpoint() const { return nullptr; }
  /// |b - D x| / |b| of what it would begin from.
  virtual double residual(const io::Column& x, const io::Column& b) = 0;
};

/// What has a solver of this type.
template <class Solver>
class Columns : public ColumnSolver {
public:
  template <class... Arguments>
  explicit Columns(Arguments&&... arguments) : solver_(std::forward<Arguments>(arguments)...) {}

protected:
  Solver solver_;
};

class PropagatorCommand {
public:
  virtual ~PropagatorCommand() = default;
  void run();

protected:
  /// Adds what all have; the action is the caller's to set.
  void add_options(const Command& command);
  /// Throws UsageError for options that mean nothing; before any file is opened.
  virtual void check() const = 0;
  [[nodiscard]] virtual std::unique_ptr<ColumnSolver> make(Queue& queue, const Extents& extents,
                                                           const gauge::HostLinks& links) const = 0;
  /// What the file and the record say of the operator.
  [[nodiscard]] virtual std::vector<io::PropagatorNumber> numbers() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string precision_text() const = 0;
  [[nodiscard]] virtual std::string solver_text() const = 0;
  /// Whether --from begins from an earlier propagator.
  [[nodiscard]] virtual bool can_go_on() const = 0;
  /// Of systems (D^+ D + shift) x = D^+ b; none where D x = b is solved.
  [[nodiscard]] virtual std::vector<double> shifts() const { return {}; }
  /// Those of "S,S,...". Throws UsageError for what is not such a text.
  [[nodiscard]] static std::vector<double> parse_shifts(const std::string& text);
  /// Why D x = b is not solved, from what was reached, where the operator can tell before go_on()
  /// says no.
  [[nodiscard]] virtual std::string why_not_solved(const Extents& /*extents*/,
                                                   const gauge::HostLinks& /*links*/,
                                                   const io::Column& /*x*/, const io::Column& /*b*/,
                                                   const std::function<bool()>& /*go_on*/) const {
    return {};
  }
  /// Of a site; columns are three for each.
  [[nodiscard]] virtual int spins() const { return 4; }
  [[nodiscard]] gauge::Boundary fermion_boundary() const {
    return boundary == "periodic" ? gauge::periodic : gauge::antiperiodic_in_time;
  }
  /// This rank's grid of ranks for stored fields.
  [[nodiscard]] Extents stored_grid(const Extents& extents) const;

  std::string from; ///< empty, or of commands that can go on
  std::string grid; ///< of ranks, as --ranks has it
  bool reproducible = false;
  /// The ranks that were started together.
  [[nodiscard]] static comm::Communicator& ranks() { return comm::world(); }

private:
  void columns(Queue& queue, ColumnSolver& solver, const Extents& extents,
               const std::vector<Index>& at, io::PropagatorReader* start,
               io::PropagatorWriter* writer);
  void shifted_columns(ColumnSolver& solver, std::size_t volume, std::size_t place,
                       io::PropagatorWriter* writer);
  [[nodiscard]] solve::Options column_options(Progress& line, int column, int together = 1) const;
  void add(const solve::Solved& solved);
  /// Writes a column, and takes it for correlators.
  void finish(int column, io::Column x, ColumnSolver& solver, io::PropagatorWriter& writer,
              std::future<void>& written);
  void add_slices(const io::Column& x);
  /// Looks why a column was not solved, for no longer than solving took.
  void look_why(Progress& line, const Extents& extents, const io::Column& x, const io::Column& b);
  /// Why columns did not converge, for a message.
  [[nodiscard]] std::string reason() const;
  void end(const io::OutputPlan& plan, Queue& queue, const Extents& extents, Index from_t) const;
  /// Copies to and from the solver, and what is made anew for each solve.
  [[nodiscard]] Seconds copying() const;
  /// Devices, kernels, and all else but reading, solving and writing, with the steps named above.
  [[nodiscard]] Seconds preparing() const;
  void print_record(Queue& queue, const Extents& extents) const;

  std::string input, output, source = "point", boundary = "antiperiodic";
  std::string device = "auto", size, picture;
  double tolerance = 1e-10;
  Index iterations = 10000;
  int configuration = 0;
  bool accept = false, overwrite = false, json = false, no_roof = false;

  io::PropagatorFacts facts_;
  solve::Solved total_;
  Seconds reading_, all_but_reading_, writing_;
  Seconds starting_;                   ///< the device
  Seconds building_;                   ///< the operator
  Seconds calling_;                    ///< the solver, with copies
  Seconds looking_;                    ///< why columns did not converge
  Seconds correlating_;                ///< hadrons, with smearing
  int unfinished_ = 0, in_double_ = 0; ///< columns
  bool singular_ = false;              ///< D was, in some column
  bool stuck_ = false;                 ///< some column's residual falls no further
  std::vector<double> correlator_;
  const gauge::HostLinks* links_ = nullptr; ///< while columns are solved
  std::string why_;                         ///< a column did not converge, where that is known
  Hadrons hadrons_;
};

} // namespace ridge::app
