// BiCGStab for operators that need not be hermitian, on vectors of complex numbers.
#pragma once

#include <ridge/solve/solver.hpp>
#include <ridge/solve/vector_call.hpp>

#include <memory>

namespace ridge::solve {

/// van der Vorst (SIAM J. Sci. Stat. Comput. 13 (1992) 631), in double precision. Where it breaks
/// down it begins again from the true residual.
class BiCgStab {
public:
  /// Vectors have `count` real numbers, an even count: real and imaginary parts in turn.
  BiCgStab(Queue& queue, Operator<double> apply, Index count);
  ~BiCgStab();

  /// x = A^-1 b, from what x holds. Waits.
  Solved solve(Span<double> x, Span<const double> b, const Options& options);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::solve
