// The levels of a grid, and V cycles over them.
#pragma once

#include <ridge/device/graph.hpp>
#include <ridge/grid/multigrid.hpp>

#include "level.hpp"
#include "shared_levels.hpp"

#include <array>
#include <memory>

namespace ridge::solve::detail {

/// Weights of the diagonal's inverse in the sweeps before and after coarser levels.
struct SweepWeights {
  std::array<double, 2> down, up;
};

/// Levels from the problem's points down to at most 512, which are solved for exactly.
template <class T>
class Cycle {
public:
  /// `shared`: how ranks share the levels; null on one rank.
  Cycle(Queue& queue, const GridProblem& problem, std::unique_ptr<SharedLevels<T>> shared);

  /// Has the problem's points, or this rank's and its halo: its `b` is what a cycle takes, its `u`
  /// what it makes better.
  [[nodiscard]] Level<T>& finest() { return *levels_.front(); }
  [[nodiscard]] const Level<T>& finest() const { return *levels_.front(); }
  [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
  /// Points of a level, of all ranks, and the axes of the finest.
  [[nodiscard]] Index3 points(int l) const { return points_[static_cast<std::size_t>(l)]; }
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] SharedLevels<T>* shared() const { return shared_.get(); }

  /// Takes k of the finest level from the user's field, whose point `first` is the first that this
  /// rank owns, and its means to all others.
  void set_coefficient(const View<const T>& k, Index3 first, Index3 points);

  /// Sets k of the finest level alone.
  void set_finest_coefficient(const View<const T>& k, Index3 first, Index3 points);

  /// Solves exactly without these points of the finest level, whose k is set, where it is the only
  /// one.
  void take_out(const std::vector<unsigned char>& land);

  /// What `run`, `run_from_zero`, `begin` and `finish` do from now on: v, w or f.
  void set(CycleShape shape, Smoother smoother);
  /// Lays passes over half a cycle, from now on. `problem`: why it cannot be; empty where it can.
  void lay(const MarchSchedule& schedule);
  [[nodiscard]] std::string problem(const MarchSchedule& schedule) const;
  /// The tiles of levels where half a cycle is a pass, the finest first: "cells/large small/small",
  /// down and up.
  [[nodiscard]] std::string tiles() const;
  /// The smoother that takes least time where none is asked for; `is_conjugate`: of cycles that
  /// precondition conjugate gradients.
  [[nodiscard]] Smoother usual_smoother(bool is_conjugate) const;

  /// A cycle from the u that is there, or from zero, which is symmetric in sums weighted by
  /// volumes but for f; or a full start: the coarsest level first, then finer ones, each begun by
  /// the one before and improved by a cycle. Each is recorded once and repeated.
  void run();
  void run_from_zero();
  void run_full_start();
  /// As `run` of a u that is 0.
  void run_first();

  /// A cycle from the u that is there, in two parts: `begin` leaves in `squares` parts of the sum
  /// of (b - A u)^2, as many as `parts` says or those of Norms where that is 0; `finish` does the
  /// rest. Between them u is what it was, and the cycle may be given up.
  void begin(const Span<double>& squares);
  void finish();
  /// Whether `begin` has its sums for nothing; the same bits on any number of ranks or not.
  [[nodiscard]] bool counts(bool reproducible) const;
  [[nodiscard]] int parts() const { return marches(0) ? levels_.front()->march.parts : 0; }

  /// Has `other` of the finest level as its u, for once.
  void take_other() {
    std::swap(finest().u, finest().other);
    if (shared_) shared_->swap_finest(finest());
    forget(); // it knew where they lay
  }

  /// Gives a cycle under a schedule to the queue; below the finest level from zero.
  void give_cycle(const CycleSchedule& schedule);
  /// Least bytes of it: on the way down each level reads u and b and writes u, on the way up
  /// again, and between levels one array of the coarser one is written and read.
  [[nodiscard]] double least_bytes(const CycleSchedule& schedule) const;

  /// What level l does in a V cycle from a solution that is there.
  [[nodiscard]] LevelWork work(int l) const;

  /// Least bytes of a cycle, an array at a time: sweeps read two and write one, the first of
  /// coarse levels reads one. `from_zero`: so does that of the finest.
  [[nodiscard]] double bytes(bool from_zero) const;

private:
  template <class Pass>
  void give(const Pass& pass) {
    detail::give(queue_, pass);
  }
  void forget();
  void invert(const std::vector<double>& k, const std::vector<unsigned char>& land = {});
  [[nodiscard]] std::vector<double> coarsest_coefficient();
  [[nodiscard]] Sweep<T> sweep_of(const Level<T>& level, double weight, bool from_zero) const;
  [[nodiscard]] ColouredSweep<T> coloured(std::size_t l, std::size_t which,
                                          const Sweep<T>& sweep) const;
  void sweep(std::size_t l, std::size_t colour, double weight, bool from_zero);
  void cycle_from(std::size_t l, bool from_zero, CycleShape shape);
  void cycle(std::size_t l, bool from_zero, CycleShape shape);
  void down(std::size_t l, bool from_zero);
  void way_down(std::size_t l, bool from_zero, const Span<double>& squares = {});
  void rest_of_down(std::size_t l);
  void up(std::size_t l);
  /// Whether half a cycle of a level is one pass.
  [[nodiscard]] bool marches(std::size_t l) const {
    return smoother_ != Smoother::red_black && levels_[l]->marches();
  }
  /// True where sweeps and corrections are the usual ones, which are safe, and correct long waves
  /// in full: of cycles that have to be symmetric, that visit levels again, of a full start, or of
  /// a coefficient.
  [[nodiscard]] bool is_usual() const {
    return is_symmetric_ || begins_.shape != CycleShape::v || finest().a.k.size != 0;
  }
  [[nodiscard]] SweepWeights weights() const;
  /// The factor of the correction of level l by the next one.
  [[nodiscard]] double correction(std::size_t l) const;
  void full_start();
  void restrict(std::size_t l, const Field<T>& from, double scale);
  void interpolate(std::size_t l, bool adds);
  void leave(std::size_t l);
  void arrive(std::size_t l);
  [[nodiscard]] Span<T> coarse_b(std::size_t l) const {
    return shared_ ? shared_->coarse_b(l, *levels_[l]) : levels_[l]->b.elements();
  }
  [[nodiscard]] Span<T> coarse_u(std::size_t l) const {
    return shared_ ? shared_->coarse_u(l, *levels_[l]) : levels_[l]->u.elements();
  }
  [[nodiscard]] bool shares(std::size_t l) const { return shared_ && shared_->shares(l); }
  [[nodiscard]] bool can_be_recorded() const { return !shared_ || shared_->can_be_recorded(); }
  [[nodiscard]] double points_of(std::size_t l) const {
    const Index3& n = points_[l];
    return static_cast<double>(n.x * n.y * n.z);
  }
  [[nodiscard]] double least_elements(std::size_t l, bool from_zero) const;
  [[nodiscard]] double moved_elements(std::size_t l, bool from_zero) const;
  /// Adds up `elements(l, from_zero)` over a cycle's visits of levels.
  template <class Elements>
  [[nodiscard]] double of_cycle(std::size_t l, bool from_zero, CycleShape shape,
                                const Elements& elements) const {
    double sum = elements(l, from_zero);
    if (l + 1 == levels_.size()) return sum;
    sum += of_cycle(l + 1, true, shape, elements);
    if (visits_again(l, shape)) sum += of_cycle(l + 1, false, second(shape), elements);
    return sum;
  }
  /// Whether a cycle on level l has a second one on the next level, which is exact at the end.
  [[nodiscard]] bool visits_again(std::size_t l, CycleShape shape) const {
    return shape != CycleShape::v && l + 2 < levels_.size();
  }
  [[nodiscard]] static CycleShape second(CycleShape shape) {
    return shape == CycleShape::f ? CycleShape::v : shape;
  }

  Queue& queue_;
  double shift_;
  bool is_singular_;
  CycleShape shape_ = CycleShape::v;
  Smoother smoother_ = Smoother::chebyshev;
  MarchSchedule laid_;
  bool is_symmetric_ = false; ///< the cycle that is being given
  struct {
    std::size_t level = 0;
    CycleShape shape = CycleShape::v;
  } begins_; ///< likewise
  std::unique_ptr<SharedLevels<T>> shared_;
  std::vector<Axis> axes_;
  std::vector<Index3> points_;
  std::vector<std::unique_ptr<Level<T>>> levels_;
  Memory matrix_; ///< the inverse on the coarsest level
  Repeated cycle_, from_zero_, first_, start_, begin_, finish_;
};

} // namespace ridge::solve::detail
