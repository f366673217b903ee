// What solvers solve, how far, and what they leave.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/launch/program.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ridge::solve {

/// A linear operator on vectors of one length, of any pattern: programs that, run one after the
/// other, compute out = A in. Binds for the two vectors given, which are different memory.
template <class T>
using Operator = std::function<std::vector<Program>(Span<T> out, Span<const T> in)>;

/// How far a solver is.
struct Progress {
  Index iterations = 0;
  double residual = 0; ///< |b - A x| / |b| as the iteration has it
};

struct Options {
  double tolerance = 1e-10; ///< |b - A x| / |b|
  Index most_iterations = 10000;
  /// Iterations that the queue is given before the host looks at the residual; 0: ten on GPUs,
  /// where the queue goes on meanwhile, and one on the host.
  Index check_every = 0;
  /// Sums in conjugate gradients have the same bits for any number of ranks. Each waits for the
  /// host.
  bool reproducible = false;
  /// Asked now and then: false ends the solver, which keeps what it has.
  std::function<bool(const Progress&)> go_on = {};
};

/// How a solver ended. In x is the best of all whose residual was computed, converged or not; 0 is
/// one of them.
struct Solved {
  bool converged = false;
  bool stopped = false;  ///< by `go_on`
  bool broken = false;   ///< the operator is not positive, or a number is none
  bool rounding = false; ///< the residual falls no further in numbers of double precision
  bool in_double =
      false; ///< iterations in lower precision were not enough: these went on in double
  Index iterations = 0;
  double residual = 0; ///< |b - A x| / |b|, computed anew at the end
  Seconds seconds;
  double bytes = 0;  ///< least bytes of all its launches
  double flops = 0;  ///< of the operator
  Index updates = 0; ///< residuals computed in double within mixed precision
};

/// The record of a solve: its seconds, least bytes, operations, iterations and true residual.
/// `kernel`: what was solved; `items`: sites, points, ... of an iteration. A roof is the caller's
/// to add.
[[nodiscard]] Record record_of(const Solved& solved, const Device& device,
                               const std::string& kernel, const std::string& precision,
                               const Extents& size, Index items);

} // namespace ridge::solve
