// Conjugate gradients for positive operators: launches bound once, sums left on the device, the
// residual looked at without stopping the queue.
//
//   solve::Cg cg(queue, apply, n);                // apply: solve::Operator<double>
//   const solve::Solved solved = cg.solve(x, b, {.tolerance = 1e-10});
#pragma once

#include <ridge/solve/solver.hpp>
#include <ridge/solve/vector_call.hpp>

#include <memory>

namespace ridge::solve {

/// Hestenes and Stiefel, in double precision.
class Cg {
public:
  /// Vectors have `count` numbers.
  Cg(Queue& queue, Operator<double> apply, Index count);
  ~Cg();
  Cg(const Cg&) = delete;
  Cg& operator=(const Cg&) = delete;

  /// x = A^-1 b, from what x holds. Waits.
  Solved solve(Span<double> x, Span<const double> b, const Options& options);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same, its iterations in single precision. `apply` and `inner` see vectors that lie alike,
/// number by number: lattice fields of as many lanes (see Lattice). Where the residual has fallen
/// to `drop` of what it was, it is computed anew in double (reliable updates; Sleijpen and van der
/// Vorst 1996), and the iteration goes on in the direction that it has.
class MixedCg {
public:
  MixedCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
          double drop = 0.01);
  ~MixedCg();
  MixedCg(const MixedCg&) = delete;
  MixedCg& operator=(const MixedCg&) = delete;

  Solved solve(Span<double> x, Span<const double> b, const Options& options);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::solve
