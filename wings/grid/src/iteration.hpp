// Cycles until the residual is small enough: alone, or preconditioning conjugate gradients.
#pragma once

#include <ridge/grid/multigrid.hpp>

#include "equations.hpp"

#include <limits>
#include <optional>

namespace ridge::solve::detail {

/// When cycles end.
class Progressing {
public:
  Progressing(const GridOptions& how, GridSolution& into) : options(how), solution(into) {}
  /// Notes the first residual. Returns whether to go on.
  bool begin(double residual);
  /// Notes the residual after a cycle. Returns whether to go on.
  bool next(double residual);
  /// The most cycles; the residuals of conjugate gradients go up and down before they fall.
  [[nodiscard]] int most() const {
    return options.most_cycles.value_or(solution.conjugate ? 10000 : 100);
  }
  /// Whether to ask if the residual is at rounding: after 1, 2, 4, ... times `first` cycles without
  /// a gain.
  [[nodiscard]] bool doubts(int first) const;
  /// Notes the residual as it is, where one that was carried along has parted from it. Earlier
  /// ones cannot have been smaller.
  void correct(double residual);
  /// Goes on where it had stalled, by other means; false where there were the most cycles.
  bool again();
  /// Gives up.
  void stall() { solution.end = GridSolution::End::stalled; }

  const GridOptions& options;
  GridSolution& solution;

private:
  double mark_ = 1; ///< what a gain is counted from
  int without_gain_ = 0;
};

/// After how many cycles a solve that failed should have ended: where its residual was the least,
/// if it has grown since by more than what rounding changes. Nothing: where it is.
[[nodiscard]] std::optional<int> best_of_failed(const GridSolution& solution);

/// Takes a solve that stalled with this backward error, and what is left of u's error where that is
/// known, for converged where rounding leaves no less. With jumps of a coefficient, which `varies`,
/// a cycle of floats finds little of u's error.
template <class T>
void accept_rounding(GridSolution& solution, double backward_error, std::optional<double> error,
                     bool varies = false);
/// The largest backward error that is taken for rounding: sparse LU in fp64 leaves up to 1.5
/// epsilon of such systems, conjugate gradients a few times that.
template <class T>
inline constexpr auto rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// Solves for u of the finest level from its b. Residuals are relative to `size`.
template <class T>
class Iteration {
public:
  explicit Iteration(Equations<T>& equations) : equations_(equations) {}

  /// `goes_on`: from a u whose residual is noted.
  void cycles(Progressing& progress, double size, bool goes_on = false);
  /// Preconditioned by a cycle from zero, which is symmetric in sums weighted by volumes.
  void conjugate_gradients(Progressing& progress, double size);
  /// Where a solve stalled with u and b of the finest level, whose norm is `size`: whether rounding
  /// is why. If so u is refined, and has converged where that reaches the tolerance.
  void judge(GridSolution& solution, double size, double tolerance);
  /// Least bytes of a cycle, and of what conjugate gradients do beside it.
  [[nodiscard]] double bytes(bool conjugate);

private:
  void cycles_that_count(Progressing& progress, double size, bool goes_on);
  bool descend(Progressing& progress, double size);
  void take_memory();
  [[nodiscard]] double refine();

  Equations<T>& equations_;
  Field<T> x_, p_, q_, right_; ///< of conjugate gradients
};

} // namespace ridge::solve::detail
