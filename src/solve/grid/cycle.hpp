// The levels of a grid, and V cycles over them.
#pragma once

#include <ridge/device/graph.hpp>
#include <ridge/solve/grid/schedule.hpp>

#include "level.hpp"

#include <memory>

namespace ridge::solve::detail {

/// Levels from the problem's points down to at most 512, which are solved for exactly.
template <class T>
class Cycle {
public:
  Cycle(Queue& queue, const GridProblem& problem);

  /// Has the problem's points: its `b` is what a cycle takes, its `u` what it makes better.
  [[nodiscard]] Level<T>& finest() { return *levels_.front(); }
  [[nodiscard]] const Level<T>& finest() const { return *levels_.front(); }
  [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
  [[nodiscard]] const Level<T>& level(int l) const { return *levels_[static_cast<std::size_t>(l)]; }

  /// Takes k of the finest level from the user's field, whose point `first` is the level's first,
  /// and its means to all others.
  void set_coefficient(const View<const T>& k, Index3 first, Index3 points);

  /// Sets k of the finest level alone.
  void set_finest_coefficient(const View<const T>& k, Index3 first, Index3 points);

  /// A cycle from the u that is there, or from zero, which is symmetric in sums weighted by
  /// volumes; or a full start: the coarsest level first, then finer ones, each begun by the one
  /// before and improved by a cycle. Each is recorded once and repeated.
  void run();
  void run_from_zero();
  void run_full_start();

  /// Gives a cycle under a schedule to the queue; below the finest level from zero.
  void give_cycle(const CycleSchedule& schedule);
  /// Least bytes of it: on the way down each level reads u and b and writes u, on the way up
  /// again, and between levels one array of the coarser one is written and read.
  [[nodiscard]] double least_bytes(const CycleSchedule& schedule) const;

  /// Least bytes of a cycle, an array at a time: sweeps read two and write one, the first of
  /// coarse levels reads one. `from_zero`: so does that of the finest.
  [[nodiscard]] double bytes(bool from_zero) const;

private:
  template <class Pass>
  void give(const Pass& pass) {
    detail::give(queue_, pass);
  }
  void invert(const std::vector<double>& k);
  void sweep(Level<T>& level, double weight, bool from_zero);
  void cycle(std::size_t l, bool from_zero, int visits = 1);
  void down(std::size_t l, bool from_zero);
  void up(std::size_t l);
  /// Whether half a cycle of a level is one pass.
  [[nodiscard]] bool marches(std::size_t l) const { return levels_[l]->marches; }
  void full_start();
  [[nodiscard]] double least_elements(std::size_t l, bool from_zero, int visits) const;

  Queue& queue_;
  double shift_;
  bool is_singular_;
  std::vector<std::unique_ptr<Level<T>>> levels_;
  Memory matrix_; ///< the inverse on the coarsest level
  Repeated cycle_, from_zero_, start_;
};

} // namespace ridge::solve::detail
