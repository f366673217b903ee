// Cycles in fp32 that correct a solution in fp64.
#pragma once

#include "iteration.hpp"

namespace ridge::solve::detail {

/// Solves for u of the finest level from its b: cycles in fp32 take what is left of b, find what u
/// lacks, and what is left then is computed in fp64. Without a coefficient. Calls are collective.
class MixedCycles {
public:
  /// Takes memory for 1.75 fields. Throws Failure where it does not suffice on some rank.
  MixedCycles(Equations<double>& equations, comm::Communicator* ranks)
      : equations_(with_memory(equations, ranks)),
        narrow_(equations.queue(), equations.problem(), ranks),
        rounding_(rounding_of(equations.problem())) {}

  /// False where fp32 has no numbers for the problem's weights or for what u lacks.
  [[nodiscard]] static bool has_numbers_for(const GridProblem& problem);
  /// The most that fp32's rounding leaves of a smooth residual, by about.
  [[nodiscard]] static double rounding_of(const GridProblem& problem);

  [[nodiscard]] Cycle<float>& cycle() { return narrow_.cycle(); }

  /// Where cycles in fp32 gain too little those in fp64 are to go on from u, or begin anew.
  enum class End { done, goes_on, begins_anew };
  /// Residuals are relative to `size`.
  [[nodiscard]] End run(Progressing& progress, double size);

  /// Least bytes of the last run, a cycle.
  [[nodiscard]] double bytes() const;

private:
  /// Throws Failure on all ranks where one of them has too little memory.
  static Equations<double>& with_memory(Equations<double>& equations, comm::Communicator* ranks);
  [[nodiscard]] End begin_anew(Progressing& progress);
  bool descend(Progressing& progress, double size, double before, bool starts);
  [[nodiscard]] double left_by_cycles();
  void improve();
  double correct(bool has_u, bool has_e);
  [[nodiscard]] double scale_for(double residual) const;

  Equations<double>& equations_;
  Equations<float> narrow_;
  double rounding_;
  double scale_ = 1;    ///< of what fp32 has, in u and b
  double estimate_ = 0; ///< of the residual after the cycles so far
  double factor_ = 0;   ///< by which the last cycle reduced it; 0: not known
  int cycles_ = 0, corrections_ = 0;
};

} // namespace ridge::solve::detail
