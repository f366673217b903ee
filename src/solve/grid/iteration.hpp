// Cycles until the residual is small enough: alone, or preconditioning conjugate gradients.
#pragma once

#include <ridge/solve/grid/multigrid.hpp>

#include "equations.hpp"

#include <optional>

namespace ridge::solve::detail {

/// When cycles end.
class Progressing {
public:
  /// Gives up after `patience` cycles in turn that did not reduce the residual; 0: 3, or 9 with
  /// conjugate gradients.
  Progressing(const GridOptions& how, GridSolution& into, int patience = 0)
      : options(how), solution(into), patience_(patience) {}
  /// Notes the first residual. Returns whether to go on.
  bool begin(double residual);
  /// Notes the residual after a cycle. Returns whether to go on.
  bool next(double residual);
  [[nodiscard]] bool gains() const { return without_gain_ == 0; }
  /// Notes the residual as it is, where one that was carried along has parted from it. Earlier
  /// ones cannot have been smaller.
  void correct(double residual);
  /// Gives up.
  void stall() { solution.end = GridSolution::End::stalled; }

  const GridOptions& options;
  GridSolution& solution;

private:
  double best_ = 1;
  int without_gain_ = 0;
  int patience_;
};

/// After how many cycles a solve that failed should have ended: where its residual was the least,
/// if it has grown since by more than what rounding changes. Nothing: where it is.
[[nodiscard]] std::optional<int> best_of_failed(const GridSolution& solution);

/// Solves for u of the finest level from its b. Residuals are relative to `size`.
template <class T>
class Iteration {
public:
  explicit Iteration(Equations<T>& equations) : equations_(equations) {}

  void cycles(Progressing& progress, double size);
  /// Preconditioned by a cycle from zero, which is symmetric in sums weighted by volumes.
  void conjugate_gradients(Progressing& progress, double size);
  /// Least bytes of a cycle, and of what conjugate gradients do beside it.
  [[nodiscard]] double bytes(bool conjugate);

private:
  void cycles_that_count(Progressing& progress, double size);
  bool descend(Progressing& progress, double size);

  Equations<T>& equations_;
  Field<T> x_, p_, q_, right_; ///< of conjugate gradients
};

} // namespace ridge::solve::detail
