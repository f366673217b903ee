// Geometric multigrid for GridProblem.
//
//   ridge::solve::GridProblem problem{{512, 512, 512}, walls};
//   ridge::solve::Multigrid<double> solver(queue, problem);
//   const ridge::solve::GridSolution solution = solver.solve(f.view(), u.view());
//
//
// With a coefficient the cycles precondition conjugate gradients, which bear what changes abruptly.
//
// V cycles of two sweeps before and after (Chebyshev-weighted Jacobi, of degree two on [1/3, 2]),
// or on a cpu of one over both colours of points, restriction by the transpose of linear
// interpolation, and an exact solution where at most 512 points are left. Axes whose points are
// close together are coarsened first, so that extents and spacings may be any. Every level keeps a
// table of weights for each axis: points need not be equally far apart, as those next to a face are
// not once a grid that is no power of two is coarsened.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/core/units.hpp>
#include <ridge/device/field.hpp>
#include <ridge/grid/problem.hpp>
#include <ridge/grid/schedule.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::solve {

/// Cycles of multigrid alone; cycles that precondition conjugate gradients; or Fourier transforms,
/// for constant coefficients.
enum class GridMethod { automatic, multigrid, conjugate_gradients, fourier };

/// Of fields in fp64: cycles in it, or cycles in fp32 for residuals in fp64, which reach the same
/// tolerance. Automatic: mixed of cycles alone without a coefficient or mask on one rank, not
/// `reproducible`, from so many points on that it gains; where those gain too little, fp64 goes on.
enum class CyclePrecision { automatic, fp64, mixed };
constexpr auto enum_names(CyclePrecision) {
  return std::array<std::string_view, 3>{"auto", "fp64", "mixed"};
}

struct GridOptions {
  /// Transforms where they can be taken, the library is here and there is no first guess; else
  /// conjugate gradients with a coefficient or an order above 2; else cycles.
  GridMethod method = GridMethod::automatic;
  /// The residual's norm over that of the right-hand side. Where rounding leaves more of it, a
  /// solution that rounding explains has converged, too: GridSolution::Criterion.
  double tolerance = 1e-10;
  std::optional<int> most_cycles = {}; ///< where not given 100, of conjugate gradients 10000
  /// Begins by solving on all coarser grids (full multigrid); not where there is a first guess.
  bool full = true;
  /// Takes the mean off a right-hand side that a singular problem cannot have.
  bool project = false;
  /// The solution has the same bits on any number of ranks: `automatic` takes no transforms, which
  /// are for one rank, and no cycles in fp32. These end, as on GPUs those in fp64 do, by sums whose
  /// order depends on the ranks where this is not asked for.
  bool reproducible = false;
  /// The shape of cycles, alone or in conjugate gradients: v, w or f; v where not given. Where this
  /// or `smoother` is given `automatic` takes no transforms. Conjugate gradients take no f, which
  /// is not symmetric.
  std::optional<CycleShape> cycle = {};
  /// Where not given: red_black on a cpu of cycles alone without a coefficient, else chebyshev.
  std::optional<Smoother> smoother = {};
  /// Where it is mixed `automatic` takes no transforms.
  CyclePrecision precision = CyclePrecision::automatic;
  std::string project_option = "GridOptions::project"; ///< as errors name it
  /// Called after each cycle with the relative residual; false stops.
  std::function<bool(int cycle, double residual)> progress = {};
};

/// How a solve went.
struct GridSolution {
  enum class End { converged, stalled, cycles, stopped };
  End end = End::cycles;
  /// By which it converged: the residual is as small as asked; or it falls no further, and is no
  /// more than rounding leaves: `backward_error` is at most the precision's epsilon and `error` at
  /// most its square root.
  enum class Criterion { residual, rounding };
  Criterion criterion = Criterion::residual;
  /// Where the residual fell no further: its norm over that of |A| |u| + |f|, point by point.
  std::optional<double> backward_error = {};
  /// And what is left of the error of u, over u, by a cycle for the residual. Not of an operator of
  /// one's own.
  std::optional<double> error = {};
  /// fp32 gained too little, and fp64 went on from 0: residuals from there on are those of the
  /// solution before it was rounded to fp32.
  bool in_double = false;
  int cycles = 0;
  /// Relative residuals, as computed from the solution: of the first guess, then after each cycle.
  /// The full start is part of the first cycle.
  std::vector<double> residuals;
  Seconds seconds;         ///< of all cycles, residuals included
  double removed_mean = 0; ///< of the right-hand side, by `project`
  double cycle_bytes = 0;  ///< least bytes of a cycle, an array at a time, all levels
  bool conjugate = false;  ///< whether cycles preconditioned conjugate gradients
  std::string transform;   ///< the library whose Fourier transforms solved it; empty: cycles
  CycleShape cycle = CycleShape::v;
  Smoother smoother = Smoother::chebyshev;
  int levels = 0;
  int narrow_cycles = 0; ///< of `cycles`, in fp32 for residuals in fp64
  /// Levels where half a cycle is one pass over a GPU: their tiles down and up, the finest
  /// first, such as "cells/large small/small".
  std::string tiles = {};

  [[nodiscard]] double residual() const { return residuals.back(); }
  /// By which a cycle reduces the residual, on average over those that did.
  [[nodiscard]] double factor() const;
  /// Such as "multigrid W(2,2)", "multigrid V(2,2) in fp32", "conjugate gradients, multigrid V(1,1)
  /// red-black", "fft (FFTW)".
  [[nodiscard]] std::string method() const;
};

/// What a level of a V cycle does, the next one not included.
struct LevelWork {
  Index3 points;     ///< of all ranks
  double least = 0;  ///< bytes: arrays once on the way down and once on the way up
  double moved = 0;  ///< bytes: arrays once a pass, of the passes that the device has
  int launches = 0;  ///< or passes, on a cpu
  double excess = 1; ///< times of its passes over those of the tiles that are known to be good
};

/// What ranks say to each other in a V cycle.
struct CycleMessages {
  comm::Carrier carrier = comm::Carrier::host;
  double bytes = 0;            ///< that this rank sends
  int shared_levels = 0;       ///< the others are computed by all ranks
  int grouped_levels = 0;      ///< of the shared ones: by groups of ranks
  bool can_be_recorded = true; ///< in a graph
};

/// T is float or double.
template <class T>
class Multigrid {
public:
  /// Takes memory for three and a half fields of the extents, for 1.75 more where cycles in
  /// fp32 are taken, and in fp32 for a copy of a coefficient and a mask. Throws UsageError for a
  /// problem that cannot be solved, Failure when memory does not suffice. The queue must outlive
  /// this.
  Multigrid(Queue& queue, const GridProblem& problem);
  /// For several ranks, which share the problem's fields as grid_of_ranks says: views are of the
  /// planes that a rank owns, and calls are collective. Coarse levels are computed by groups of
  /// them, the coarsest by all. Throws UsageError where a rank would have fewer than eight planes.
  Multigrid(Queue& queue, const GridProblem& problem, comm::Communicator& ranks);
  ~Multigrid();
  Multigrid(const Multigrid&) = delete;
  Multigrid& operator=(const Multigrid&) = delete;

  /// From now on with this coefficient, a view of the problem's extents on the device, all of it
  /// positive. Between points it is the harmonic mean. Throws UsageError that names the first point
  /// that is not.
  void set_coefficient(const View<const T>& k);

  /// From now on without the points where `mask`, a view of the problem's extents on the device, is
  /// not 0: nothing flows into them, and the solution is 0 there. `k` is as set_coefficient takes
  /// it, or null: 1. Throws UsageError for a mask that leaves no point, and for one that cuts off
  /// points whose mean then nothing fixes, with one of them.
  void set_mask(const View<const T>& mask, const View<const T>* k = nullptr);

  /// Lays the passes of cycles over a GPU, from now on. `auto`: as `ridge tune multigrid` found for
  /// such a grid here (of no coefficient), else by what is known of tiles; or the fields of a
  /// CycleSchedule: "down=cells up=small". Solutions are the same up to rounding. Returns where the
  /// schedule is from: "wisdom", "default" or "" where it was given. Throws UsageError for one that
  /// no level takes. Over ranks it is collective, and that of rank 0.
  std::string lay(const std::string& schedule);

  /// Solves for `u`, views of the problem's extents on the device. With `options.full` false `u` is
  /// the first guess. Points on dirichlet faces are set. A singular problem's solution has mean 0
  /// (weighted by volume). Where cycles of floats gain too little, doubles go on. Throws UsageError
  /// for other extents, and for a right-hand side that a singular problem cannot have, with its
  /// mean.
  [[nodiscard]] GridSolution solve(const View<const T>& f, const View<T>& u,
                                   const GridOptions& options = {});

  /// Points that are solved for on each level, the finest first, of all ranks.
  [[nodiscard]] std::vector<Index3> levels() const;
  /// The work of a V cycle on each level, from the finest and a solution that is there.
  [[nodiscard]] std::vector<LevelWork> level_work() const;
  /// Tiles of the cycle that was given last, as in GridSolution.
  [[nodiscard]] std::string tiles() const;
  /// For measurements: takes a right-hand side and a solution of 0, which cycles then improve.
  void begin(const View<const T>& f);
  /// Gives a cycle to the queue: kernels alone, which a graph can record, and over ranks messages,
  /// which it can record where `messages` says so. Throws UsageError for a
  /// level that is not there. `with_messages` false: over ranks, without what they say to each
  /// other.
  void give_cycle(const CycleSchedule& schedule, bool with_messages = true);
  /// Over ranks: the messages of a V cycle, alone.
  void give_messages();
  [[nodiscard]] CycleMessages messages() const;
  /// Bytes that a cycle must at least move: on the way down a level reads u and b and writes u, on
  /// the way up again, and the next level's b and u pass between them.
  [[nodiscard]] double least_bytes(const CycleSchedule& schedule) const;
  /// The residual's norm over that of the right-hand side, now.
  [[nodiscard]] double relative_residual();

private:
  class Body;
  std::unique_ptr<Body> body_;
};

} // namespace ridge::solve
