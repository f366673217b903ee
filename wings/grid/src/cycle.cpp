#include "cycle.hpp"

#include <ridge/core/error.hpp>

#include "exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::solve::detail {

/// At most so many points are solved for exactly.
static constexpr Index most_exact = 512;

template <class T>
Cycle<T>::Cycle(Queue& queue, const GridProblem& problem, std::unique_ptr<SharedLevels<T>> shared)
    : queue_(queue), shift_(problem.shift), is_singular_(problem.is_singular()),
      shared_(std::move(shared)) {
  for (int d = 0; d < 3; ++d)
    axes_.push_back(finest_axis(problem, d));
  std::vector<Axis> axes = axes_; // of the level's points, of all ranks
  const auto shift = static_cast<T>(problem.shift);
  const auto add = [&] {
    const std::size_t l = levels_.size();
    points_.push_back({axes[0].points(), axes[1].points(), axes[2].points()});
    std::vector<Axis> mine = axes;
    if (shares(l)) mine[2] = sliced(axes[2], shared_->mine(l));
    levels_.push_back(std::make_unique<Level<T>>(queue, std::move(mine), shift));
    if (shares(l)) shared_->add(*levels_[l]);
    if (l > 0 && shares(l - 1)) shared_->meet(l, *levels_[l]);
  };
  add();
  while (points_of(levels_.size() - 1) > most_exact) {
    const std::vector<bool> chosen = coarsened_axes(axes);
    std::vector<Coarsening> ways;
    for (std::size_t d = 0; d < 3; ++d)
      ways.push_back(chosen[d] ? coarsened(axes[d]) : kept(axes[d]));
    const std::optional<WholeLevel> whole = WholeLevel::of(axes, ways);
    if (std::none_of(chosen.begin(), chosen.end(), [](bool c) { return c; })) break;
    const Axis z = axes[2];
    for (std::size_t d = 0; d < 3; ++d)
      axes[d] = ways[d].axis;
    const std::size_t l = levels_.size() - 1;
    if (shares(l))
      ways[2] = shared_->coarsen(z, ways[2],
                                 Index{axes[0].points()} * axes[1].points() * axes[2].points());
    levels_[l]->add_transfer(queue, ways, whole,
                             shares(l) ? shared_->needed_down(l) : NeededPlanes{});
    add();
  }
  if (shares(levels_.size() - 1))
    throw UsageError(fmt::format("{}x{}x{} points are too few for {} ranks: multigrid shares more "
                                 "than {} points, and one rank solves for fewer",
                                 points_[0].x, points_[0].y, points_[0].z, shared_->ranks().ranks(),
                                 most_exact));
  invert({});
  smoother_ = usual_smoother(false);
}

template <class T>
void Cycle<T>::set_coefficient(const View<const T>& k, Index3 first, Index3 points) {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level<T>& level = *levels_[l];
    const Extents n{level.axes[0].points() + 2, level.axes[1].points() + 2,
                    level.axes[2].points() + 2};
    if (level.k.count() != n.count())
      level.k = Field<T>(queue_.device(), n, "the coefficient on a level of multigrid");
    if (l == 0) {
      set_finest_coefficient(k, first, points);
    } else {
      const Level<T>& finer = *levels_[l - 1];
      const Field<T>& to = shared_ ? shared_->coarse_k(l, level) : level.k;
      give(Averaged<T>{finer.transfer, finer.k.elements(), to.elements()});
      if (shared_) shared_->arrive_k(l, level);
    }
    level.a.k = level.k.elements();
  }
  invert(coarsest_coefficient());
  forget(); // it knew no coefficient
}

template <class T>
std::vector<double> Cycle<T>::coarsest_coefficient() {
  const Field<T>& k = levels_.back()->k;
  std::vector<T> coarsest(static_cast<std::size_t>(k.count()));
  copy_to_host(queue_, coarsest.data(), k.data(), k.count());
  queue_.wait();
  return {coarsest.begin(), coarsest.end()};
}

template <class T>
void Cycle<T>::take_out(const std::vector<unsigned char>& land) {
  if (levels_.size() == 1) invert(coarsest_coefficient(), land);
}

template <class T>
void Cycle<T>::forget() {
  for (Repeated* recorded : {&cycle_, &from_zero_, &first_, &start_, &begin_, &finish_})
    *recorded = Repeated();
}

template <class T>
void Cycle<T>::set(CycleShape shape, Smoother smoother) {
  if (shape == shape_ && smoother == smoother_) return;
  shape_ = shape;
  smoother_ = smoother;
  forget();
}

template <class T>
void Cycle<T>::lay(const MarchSchedule& schedule) {
  if (schedule == laid_) return;
  laid_ = schedule;
  for (const auto& level : levels_)
    level->march = level->choice(queue_.device(), schedule);
  forget();
}

template <class T>
std::string Cycle<T>::problem(const MarchSchedule& schedule) const {
  if (schedule == MarchSchedule{}) return {};
  if (find_offer(queue_.device().kind(), typeid(WayDown<T>)) == nullptr)
    return fmt::format("down, up and march_from lay out a GPU's passes; on {} there is none such",
                       to_text(queue_.device().id()));
  const bool is_named =
      schedule.down != MarchTile::automatic || schedule.up != MarchTile::automatic;
  if (is_named && finest().a.k.size != 0) return "with a coefficient there is one tile alone";
  const auto unlike = [&](const char* way, MarchTile asked, int MarchChoice::*tile) -> std::string {
    const bool is_taken = asked == MarchTile::automatic ||
                          std::any_of(levels_.begin(), levels_.end(), [&](const auto& level) {
                            const MarchChoice choice = level->choice(queue_.device(), schedule);
                            return choice.plain && tile_of(choice.*tile) == asked;
                          });
    if (is_taken) return {};
    return fmt::format("{}={}: of {}x{}x{} points and coarser levels none has a pass by that tile, "
                       "whose smallest march_from= sets",
                       way, text::value_to_text(asked), points_[0].x, points_[0].y, points_[0].z);
  };
  const std::string down = unlike("down", schedule.down, &MarchChoice::tile);
  return down.empty() ? unlike("up", schedule.up, &MarchChoice::up_tile) : down;
}

template <class T>
std::string Cycle<T>::tiles() const {
  std::string all;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    if (!marches(l)) continue;
    const MarchChoice& way = levels_[l]->march;
    const bool varies = finest().a.k.size != 0;
    all += fmt::format("{}{}", all.empty() ? "" : " ",
                       varies ? "coefficient"
                              : text::value_to_text(tile_of(way.tile)) + "/" +
                                    text::value_to_text(tile_of(way.up_tile)));
  }
  return all;
}

/// Colours gain more by as many passes over memory, but not where two sweeps are one pass, nor with
/// a coefficient, nor where their order has to be symmetric (docs/design/solvers.md).
template <class T>
Smoother Cycle<T>::usual_smoother(bool is_conjugate) const {
  const bool has_marches = find_offer(queue_.device().kind(), typeid(WayDown<T>)) != nullptr;
  const bool varies = finest().a.k.size != 0;
  return has_marches || varies || is_conjugate ? Smoother::chebyshev : Smoother::red_black;
}

/// Weights of the sweeps before and after coarser levels. The usual two damp errors between 1/3 and
/// 2 of the diagonal's scale (Chebyshev); of colours, where the cycle has to be symmetric, they are
/// Gauss and Seidel's. All others are what gains most in a V cycle with the corrections below
/// (docs/design/solvers.md); of colours about what I. Yavneh found, SIAM J. Sci. Comput. 17 (1996)
/// 180.
template <class T>
SweepWeights Cycle<T>::weights() const {
  constexpr double least = 1.0 / 3;
  constexpr double most = 2;
  const double middle = (most + least) / 2;
  const bool is_coloured = smoother_ == Smoother::red_black;
  if (is_coloured && is_symmetric_) return {{1, 1}, {1, 1}};
  if (is_coloured) return {{1.144, 1.144}, {1.133, 1.133}};
  if (!is_usual()) return {{0.522, 2.365}, {0.687, 1.168}};
  const double half = (most - least) / 2 * std::sqrt(0.5);
  return {{1 / (middle + half), 1 / (middle - half)}, {1 / (middle - half), 1 / (middle + half)}};
}

/// More than 1 where the cycle begins: points of middling wavelengths are corrected by about half.
/// Below, less than 1 keeps long waves from being corrected by too much. With the sweeps' weights
/// these are what gains most, and not where one axis alone is halved, whose waves all are corrected
/// in full.
template <class T>
double Cycle<T>::correction(std::size_t l) const {
  if (is_usual()) return 1;
  const Index3& fine = points_[l];
  const Index3& coarse = points_[l + 1];
  const int kept = int{coarse.x == fine.x} + int{coarse.y == fine.y} + int{coarse.z == fine.z};
  if (smoother_ == Smoother::red_black) return kept == 0 ? 1.043 : 1;
  if (kept > 1) return 1;
  return l == begins_.level ? 1.228 : 0.959;
}

template <class T>
void Cycle<T>::set_finest_coefficient(const View<const T>& k, Index3 first, Index3 points) {
  Surrounded<T> s{k, first, points, {}, finest().k.elements()};
  for (std::size_t d = 0; d < 3; ++d)
    s.is_periodic[d] = finest().axes[d].is_periodic;
  if (shared_) { // of the planes that it owns, and one around them
    const Index3 n = finest().k.extents().xyz();
    const Index plane = n.x * n.y;
    s.to = {s.to.data + shared_->mine(0).below() * plane, (points.z + 2) * plane};
  }
  give(s);
  if (shared_) shared_->arrive_k(0, finest());
}

template <class T>
void Cycle<T>::invert(const std::vector<double>& k, const std::vector<unsigned char>& land) {
  matrix_ =
      on_device(queue_, as<T>(inverse_of(levels_.back()->axes, shift_, is_singular_, k, land)));
}

template <class T>
void Cycle<T>::run() {
  cycle_.run(queue_, can_be_recorded(), [this] { cycle_from(0, false, shape_); });
}
template <class T>
void Cycle<T>::run_from_zero() {
  from_zero_.run(queue_, can_be_recorded(), [this] {
    is_symmetric_ = true;
    cycle_from(0, true, shape_);
    is_symmetric_ = false;
  });
}
template <class T>
void Cycle<T>::run_first() {
  first_.run(queue_, can_be_recorded(), [this] { cycle_from(0, true, shape_); });
}
template <class T>
void Cycle<T>::run_full_start() {
  start_.run(queue_, can_be_recorded(), [this] { full_start(); });
}

template <class T>
bool Cycle<T>::counts(bool reproducible) const {
  if (levels_.size() == 1) return false;
  // A pass adds up in an order that depends on which planes a rank has.
  if (marches(0)) return parts() > 0 && finest().a.k.size == 0 && !reproducible;
  return find_offer(queue_.device().kind(), typeid(CountedSweep<T>)) != nullptr;
}

/// Parts change the arrays' places an even number of times, so that they can be recorded.
template <class T>
void Cycle<T>::begin(const Span<double>& squares) {
  begin_.run(queue_, can_be_recorded(), [this, squares] {
    begins_ = {0, shape_};
    Level<T>& level = finest();
    if (marches(0)) {
      way_down(0, false, squares);
      std::swap(level.u, level.other);
    } else if (smoother_ == Smoother::red_black) {
      ColouredSweep<T> first = coloured(0, 0, sweep_of(level, weights().down[0], false));
      first.sums = squares;
      give(first);
    } else {
      give(CountedSweep<T>{sweep_of(level, weights().down[0], false), squares});
    }
  });
}
template <class T>
void Cycle<T>::finish() {
  finish_.run(queue_, can_be_recorded(), [this] {
    begins_ = {0, shape_};
    std::swap(finest().u, finest().other);
    if (!marches(0)) rest_of_down(0);
    arrive(1);
    cycle(1, true, shape_);
    if (visits_again(0, shape_)) cycle(1, false, second(shape_));
    up(0);
  });
}

template <class T>
Sweep<T> Cycle<T>::sweep_of(const Level<T>& level, double weight, bool from_zero) const {
  return {level.a, from_zero ? Span<T>() : level.u.elements(), level.b.elements(),
          level.other.elements(), static_cast<T>(weight)};
}

/// Of colour `which` on level l.
template <class T>
ColouredSweep<T> Cycle<T>::coloured(std::size_t l, std::size_t which, const Sweep<T>& sweep) const {
  const Index first = shares(l) ? shared_->mine(l).held_begin : 0;
  return {
      sweep, static_cast<int>(which), static_cast<int>(first), static_cast<int>(points_[l].z), {}};
}

/// A sweep of all points, or of a colour's where the smoother has colours.
template <class T>
void Cycle<T>::sweep(std::size_t l, std::size_t colour, double weight, bool from_zero) {
  Level<T>& level = *levels_[l];
  const Sweep<T> s = sweep_of(level, weight, from_zero);
  smoother_ == Smoother::red_black ? give(coloured(l, colour, s)) : give(s);
  std::swap(level.u, level.other);
}

template <class T>
void Cycle<T>::cycle_from(std::size_t l, bool from_zero, CycleShape shape) {
  begins_ = {l, shape};
  cycle(l, from_zero, shape);
}

/// u of level l from its b, from zero or from the u that is there, with cycles of the next level,
/// which is exact where it is the coarsest. Arrays change places an even number of times, so that a
/// recorded cycle can be repeated.
template <class T>
void Cycle<T>::cycle(std::size_t l, bool from_zero, CycleShape shape) {
  if (l + 1 == levels_.size()) {
    Level<T>& level = *levels_[l];
    give(Exact<T>{span_of<T>(matrix_), level.b.elements(), level.u.elements()});
    return;
  }
  down(l, from_zero);
  cycle(l + 1, true, shape);
  if (visits_again(l, shape)) cycle(l + 1, false, second(shape));
  up(l);
}

/// Sweeps, the residual, and its restriction.
template <class T>
void Cycle<T>::down(std::size_t l, bool from_zero) {
  if (marches(l)) {
    way_down(l, from_zero);
  } else {
    sweep(l, 0, weights().down[0], from_zero);
    rest_of_down(l);
  }
  arrive(l + 1);
}
template <class T>
void Cycle<T>::way_down(std::size_t l, bool from_zero, const Span<double>& squares) {
  Level<T>& level = *levels_[l];
  const auto [first, second] = weights().down;
  give(WayDown<T>{.a = level.a,
                  .transfer = level.steps,
                  .u = from_zero ? Span<T>() : level.u.elements(),
                  .b = level.b.elements(),
                  .out = level.other.elements(),
                  .coarse = coarse_b(l + 1),
                  .weights = {static_cast<T>(first), static_cast<T>(second)},
                  .scale = static_cast<T>(correction(l)),
                  .alike = level.alike,
                  .tile = level.march.tile,
                  .needed = shares(l) ? shared_->needed_down(l) : NeededPlanes{},
                  .squares = squares});
  std::swap(level.u, level.other);
}
/// After the first sweep.
template <class T>
void Cycle<T>::rest_of_down(std::size_t l) {
  Level<T>& level = *levels_[l];
  sweep(l, 1, weights().down[1], false);
  give(Residual<T>{level.a, level.u.elements(), level.b.elements(), level.other.elements()});
  restrict(l, level.other, correction(l));
}

template <class T>
void Cycle<T>::restrict(std::size_t l, const Field<T>& from, double scale) {
  Restriction<T> r = levels_[l]->restriction(from, coarse_b(l + 1));
  r.scale = static_cast<T>(scale);
  give(r);
}
template <class T>
void Cycle<T>::interpolate(std::size_t l, bool adds) {
  leave(l + 1);
  give(Interpolation<T>{levels_[l]->transfer, coarse_u(l + 1), levels_[l]->u.elements(), adds});
}
/// What ranks need of each other: of the right-hand side of a level after its restriction, and of
/// its solution before interpolation.
template <class T>
void Cycle<T>::arrive(std::size_t l) {
  if (shared_) shared_->arrive(l, *levels_[l]);
}
template <class T>
void Cycle<T>::leave(std::size_t l) {
  if (shared_) shared_->leave(l, *levels_[l]);
}

/// The correction, and sweeps.
template <class T>
void Cycle<T>::up(std::size_t l) {
  Level<T>& level = *levels_[l];
  if (marches(l)) {
    const auto [first, second] = weights().up;
    leave(l + 1);
    give(WayUp<T>{.a = level.a,
                  .transfer = level.steps,
                  .u = level.u.elements(),
                  .b = level.b.elements(),
                  .coarse = coarse_u(l + 1),
                  .out = level.other.elements(),
                  .weights = {static_cast<T>(first), static_cast<T>(second)},
                  .alike = level.alike,
                  .tile = level.march.up_tile,
                  .needed = shares(l) ? shared_->needed_up(l) : NeededPlanes{}});
    std::swap(level.u, level.other);
  } else {
    interpolate(l, true);
    // The other way round is symmetric. Colours gain more in the same order.
    const std::size_t first = smoother_ == Smoother::red_black && !is_symmetric_ ? 0 : 1;
    sweep(l, first, weights().up[0], false);
    sweep(l, 1 - first, weights().up[1], false);
  }
  if (shares(l)) shared_->exchange_u(l);
}

template <class T>
void Cycle<T>::full_start() {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    restrict(l, levels_[l]->b, 1);
    arrive(l + 1);
  }
  for (std::size_t l = levels_.size(); l-- > 0;) {
    // The cycle below writes over the right-hand sides of coarser levels, which are done.
    if (l + 1 < levels_.size()) interpolate(l, false);
    begins_ = {l, CycleShape::full};
    cycle(l, false, CycleShape::v);
  }
}

template <class T>
void Cycle<T>::give_cycle(const CycleSchedule& schedule) {
  lay(schedule.march());
  if (schedule.cycle == CycleShape::full) {
    full_start();
  } else {
    cycle_from(static_cast<std::size_t>(schedule.level), schedule.level > 0, schedule.cycle);
  }
}

template <class T>
double Cycle<T>::least_bytes(const CycleSchedule& schedule) const {
  const auto least = [this](std::size_t l, bool from_zero) { return least_elements(l, from_zero); };
  double elements = 0;
  if (schedule.cycle == CycleShape::full) {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      elements += of_cycle(l, false, CycleShape::v, least);
      if (l > 0) elements += points_of(l - 1) + points_of(l);
    }
  } else {
    elements = of_cycle(static_cast<std::size_t>(schedule.level), schedule.level > 0,
                        schedule.cycle, least);
  }
  return elements * static_cast<double>(sizeof(T));
}

template <class T>
double Cycle<T>::least_elements(std::size_t l, bool from_zero) const {
  const auto fine = points_of(l);
  if (l + 1 == levels_.size()) return fine * fine + 2 * fine;
  const double k = finest().a.k.size != 0 ? 2 : 0; // once on both ways
  return ((from_zero ? 5 : 6) + k) * fine + 2 * points_of(l + 1);
}

template <class T>
double Cycle<T>::moved_elements(std::size_t l, bool from_zero) const {
  const double k = finest().a.k.size != 0 ? 1 : 0; // k is read wherever u is
  const auto fine = points_of(l);
  if (l + 1 == levels_.size()) return 0; // its matrix is in the cache
  const auto coarse = points_of(l + 1);
  if (marches(l)) return ((from_zero ? 5 : 6) + 2 * k) * fine + 2 * coarse;
  const double sweeps = from_zero ? 3 * 3 + 2 : 4 * 3;
  return (sweeps + 3 + 5 * k) * fine + (fine + coarse) + (2 * fine + coarse);
}

template <class T>
double Cycle<T>::bytes(bool from_zero) const {
  return of_cycle(0, from_zero, shape_,
                  [this](std::size_t l, bool zero) { return moved_elements(l, zero); }) *
         static_cast<double>(sizeof(T));
}

template <class T>
LevelWork Cycle<T>::work(int level) const {
  const auto l = static_cast<std::size_t>(level);
  const bool is_last = l + 1 == levels_.size();
  const auto size = static_cast<double>(sizeof(T));
  LevelWork work;
  work.points = points_[l];
  work.least = size * least_elements(l, l > 0);
  work.moved = is_last ? work.least : size * moved_elements(l, l > 0);
  constexpr int parts = 7; // four sweeps, residual, restriction, interpolation
  work.launches = is_last ? 1 : marches(l) ? 2 : parts;
  if (marches(l)) work.excess = levels_[l]->march_excess(queue_.device());
  return work;
}

template class Cycle<float>;
template class Cycle<double>;

} // namespace ridge::solve::detail
