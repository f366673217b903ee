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
  /// Vectors have `count` numbers. Over ranks each has its own part of them: numbers that are no
  /// part of any are 0 in b and in what `apply` gives; in what it is given they are any finite
  /// ones.
  Cg(Queue& queue, Operator<double> apply, Index count, comm::Communicator* ranks = nullptr);
  ~Cg();

  /// x = A^-1 b, from what x holds. Waits.
  Solved solve(Span<double> x, Span<const double> b, const Options& options);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The residual of each column, in units of what is wanted, of what x holds: 1 or less is an end.
/// It is that of a system which the one that is solved stands for, and may be larger: iterations go
/// on, in the direction that they have, until it is small, too.
using Measure = std::function<std::vector<double>()>;

/// As Cg, its iterations in single precision. `apply` and `inner` see vectors that lie alike,
/// number by number: lattice fields of as many lanes (see Lattice). Where the residual has fallen
/// to `drop` of what it was, it is computed anew in double (reliable updates; Sleijpen and van der
/// Vorst 1996), and the iteration goes on in the direction p that it has, by the step to the least
/// error along it, (r, p) / (p, A p). It may fall further each time, to 1e-4 of what it was, as
/// long as the iteration's own residual is right, and falls less far where iterations are slow.
/// Where single precision makes nothing better, iterations go on in double.
class MixedCg {
public:
  MixedCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
          double drop = 0.001, comm::Communicator* ranks = nullptr);
  ~MixedCg();

  Solved solve(Span<double> x, Span<const double> b, const Options& options,
               const Measure& measure = {});

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Conjugate gradients of several right-hand sides at once, with an operator that applies A to all
/// of them in one launch: each has its own steps, and rests once it has converged.
class ColumnsCg {
public:
  /// Vectors have `count` numbers in all, which lie as `columns` says: right-hand sides are the
  /// values of a group. Over ranks as Cg.
  ColumnsCg(Queue& queue, Operator<double> apply, Index count, const GroupOrder& columns,
            comm::Communicator* ranks = nullptr);
  /// With iterations in single precision, as MixedCg has them.
  ColumnsCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
            const GroupOrder& columns, double drop = 0.001, comm::Communicator* ranks = nullptr);
  ~ColumnsCg();

  /// x = A^-1 b for all, from what x holds. Waits. One for each column; the first has seconds,
  /// bytes and operations of all.
  std::vector<Solved> solve(Span<double> x, Span<const double> b, const Options& options,
                            const Measure& measure = {});

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Conjugate gradients in double whose iterations are in numbers of any kind: how far they go is
/// decided here, and residuals are computed anew as MixedCg does. One rank.
class UpdatedCg {
public:
  /// Iterations of A x = r from x = 0.
  class Inner {
  public:
    virtual ~Inner() = default;
    /// Where it takes r from, and where it gives x: numbers that lie as those in double do.
    [[nodiscard]] virtual Span<float> residual() const = 0;
    [[nodiscard]] virtual Span<float> solution() const = 0;
    /// Takes r, whose |r|^2 is `r2`. `anew`: its direction is r, too; else p, the one it has, and
    /// its first step along it is `along` / (p, A p).
    virtual void begin(bool anew, double r2, double along) = 0;
    /// |r|^2 after so many iterations, as they have it.
    virtual double iterate(Index iterations) = 0;
    /// Gives x.
    virtual void show() = 0;
    /// Gives p in place of x.
    virtual void show_direction() = 0;
    /// In an iteration.
    [[nodiscard]] virtual double bytes() const = 0;
    [[nodiscard]] virtual double flops() const = 0;
  };
  UpdatedCg(Queue& queue, Operator<double> apply, std::unique_ptr<Inner> inner, Index count);
  ~UpdatedCg();

  Solved solve(Span<double> x, Span<const double> b, const Options& options,
               const Measure& measure = {});

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// |x|^2 of each of several vectors that lie as the values of groups. Over ranks as Cg.
class ColumnNorms {
public:
  ColumnNorms(Queue& queue, Index count, const GroupOrder& columns,
              comm::Communicator* ranks = nullptr);
  [[nodiscard]] std::vector<double> operator()(Span<const double> x, bool reproducible = false);

private:
  Workspace work_;
};

/// (A + shift) x = b for several shifts in the iterations of A x = b (Jegerlehner 1996): one
/// application of A an iteration, two vectors more a shift.
class ShiftedCg {
public:
  /// Gives A + shift.
  using Shifted = std::function<Operator<double>(double shift)>;

  /// Shifts are at least 0, which is one of them or not. Throws UsageError for others. Over ranks
  /// `shifted` is needed: only it knows which numbers are this rank's.
  ShiftedCg(Queue& queue, Operator<double> apply, Index count, std::vector<double> shifts,
            comm::Communicator* ranks = nullptr, Shifted shifted = {});
  ~ShiftedCg();

  /// x[i] = (A + shifts[i])^-1 b, from 0. Where rounding leaves a residual, which is computed anew,
  /// above the tolerance, conjugate gradients for that shift alone go on from there. The first of
  /// what is returned has seconds, bytes and operations of all.
  std::vector<Solved> solve(const std::vector<Span<double>>& x, Span<const double> b,
                            const Options& options);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::solve
