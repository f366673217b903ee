#include "iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ridge::solve {

double GridSolution::factor() const {
  // The first cycle may hold the full start; the last ones may be at what rounding allows.
  if (residuals.size() < 2) return 0;
  const std::size_t first = residuals.size() > 3 ? 1 : 0;
  std::size_t last = residuals.size() - 1;
  while (last > first + 1 && residuals[last] > 0.7 * residuals[last - 1])
    --last;
  return std::pow(residuals[last] / residuals[first], 1.0 / static_cast<double>(last - first));
}

std::string GridSolution::method() const {
  if (!transform.empty()) return "fft (" + transform + ")";
  const bool is_coloured = smoother == Smoother::red_black;
  const std::string narrow = narrow_cycles == 0 ? ""
                             : narrow_cycles == cycles
                                 ? " in fp32"
                                 : fmt::format(", {} of {} cycles in fp32", narrow_cycles, cycles);
  return fmt::format("{}multigrid {}({}{}", conjugate ? "conjugate gradients, " : "",
                     cycle == CycleShape::w   ? "W"
                     : cycle == CycleShape::f ? "F"
                                              : "V",
                     is_coloured ? "1,1) red-black" : "2,2)", narrow);
}

namespace detail {

bool Progressing::begin(double residual) {
  mark_ = residual;
  solution.residuals = {residual};
  if (residual <= options.tolerance) solution.end = GridSolution::End::converged;
  return residual > options.tolerance && most() > 0;
}

bool Progressing::next(double residual) {
  using End = GridSolution::End;
  ++solution.cycles;
  solution.residuals.push_back(residual);
  if (residual <= options.tolerance) {
    solution.end = End::converged;
    return false;
  }
  if (options.progress && !options.progress(solution.cycles, residual)) {
    solution.end = End::stopped;
    return false;
  }
  const bool gains = residual < 0.9 * mark_; // NaN is no gain
  without_gain_ = gains ? 0 : without_gain_ + 1;
  // Each cycle alone has to gain; conjugate gradients, which make the error's energy smaller and
  // not the residual, however slowly.
  if (gains || (!solution.conjugate && residual < mark_)) mark_ = residual;
  const int patience = solution.conjugate ? 1000 : 3;
  if (without_gain_ == patience || !std::isfinite(residual)) {
    solution.end = End::stalled;
    return false;
  }
  return solution.cycles < most();
}

bool Progressing::doubts(int first) const {
  const int times = without_gain_ / first;
  return without_gain_ == first * times && std::has_single_bit(static_cast<unsigned>(times));
}

void Progressing::correct(double residual) {
  std::vector<double>& all = solution.residuals;
  all.back() = mark_ = residual;
  for (auto r = all.rbegin() + 1; r != all.rend() && *r < residual; ++r)
    *r = residual;
}

bool Progressing::again() {
  if (solution.cycles >= most()) return false;
  solution.end = GridSolution::End::cycles;
  without_gain_ = 0;
  return true;
}

std::optional<int> best_of_failed(const GridSolution& solution) {
  using End = GridSolution::End;
  if (solution.end != End::stalled && solution.end != End::cycles) return {};
  constexpr double grown = 1.1;
  const std::vector<double>& all = solution.residuals;
  const auto is_less = [](double a, double b) {
    return a < b || (!std::isnan(a) && std::isnan(b));
  };
  const auto best = std::min_element(all.begin(), all.end(), is_less);
  if (solution.residual() <= grown * *best || !std::isfinite(*best)) return {};
  return static_cast<int>(best - all.begin());
}

template <class T>
void accept_rounding(GridSolution& solution, double backward_error, std::optional<double> error,
                     bool varies) {
  solution.backward_error = backward_error;
  solution.error = error;
  // Of a smooth residual rounding may leave as much as of noise, but not of u.
  const double most = sizeof(T) == 4 && varies ? 1e-5 : std::sqrt(rounding<T>);
  const bool is_right = !error || *error <= most;
  if (!(backward_error <= rounding<T>) || !is_right) return;
  solution.end = GridSolution::End::converged;
  solution.criterion = GridSolution::Criterion::rounding;
}
template void accept_rounding<float>(GridSolution&, double, std::optional<double>, bool);
template void accept_rounding<double>(GridSolution&, double, std::optional<double>, bool);

/// The first pass of a cycle gives the residual of the u that the cycle before left.
template <class T>
void Iteration<T>::cycles_that_count(Progressing& progress, double size, bool goes_on) {
  if (progress.options.full && !goes_on) {
    if (!progress.begin(1)) return;
    equations_.cycle().run_full_start();
  } else {
    const double residual = equations_.begin_cycle() / size;
    if (!goes_on && !progress.begin(residual)) return;
    equations_.cycle().finish();
  }
  while (progress.next(equations_.begin_cycle() / size))
    equations_.cycle().finish();
}

template <class T>
void Iteration<T>::cycles(Progressing& progress, double size, bool goes_on) {
  if (equations_.counts(progress.options.reproducible))
    return cycles_that_count(progress, size, goes_on);
  bool starts = progress.options.full && !goes_on;
  if (!goes_on && !progress.begin(starts ? 1 : equations_.norm(false).first / size)) return;
  do {
    if (starts) {
      equations_.cycle().run_full_start();
    } else {
      equations_.cycle().run();
    }
    starts = false;
  } while (progress.next(equations_.norm(false).first / size));
}

template <class T>
void Iteration<T>::conjugate_gradients(Progressing& progress, double size) {
  Level<T>& level = equations_.finest();
  take_memory();
  equations_.copy(right_, level.b);
  if (progress.options.full) equations_.cycle().run_full_start();
  equations_.copy(x_, level.u);
  const bool is_singular = equations_.problem().is_singular();
  bool first = true;
  double best = std::numeric_limits<double>::infinity(); // of residuals that are computed anew
  int without_gain = 0;
  while (true) { // again where rounding has parted the residual from that of x
    equations_.copy(level.b, right_);
    equations_.copy(level.u, x_);
    if (is_singular) { // a mean changes no residual but by its rounding
      equations_.remove_mean();
      equations_.copy(x_, level.u);
    }
    equations_.residual(level.u, level.b, level.other);
    equations_.copy(level.b, level.other);
    const double residual = equations_.norm(true).first / size;
    if (first && progress.options.full) {
      progress.begin(1);
      if (!progress.next(residual)) break;
    } else if (first) {
      if (!progress.begin(residual)) break;
    } else {
      progress.correct(residual);
      if (residual <= 2 * progress.options.tolerance) break;
      progress.solution.end = GridSolution::End::cycles;
      if (progress.solution.cycles >= progress.most()) break;
      without_gain = residual < 0.9 * best ? 0 : without_gain + 1;
      best = std::min(best, residual);
      const bool is_rounding = // which doubles may go beyond, and floats not
          sizeof(T) == 4 && equations_.backward_error(level.u, right_) <= rounding<T>;
      if (without_gain == 2 || is_rounding) {
        progress.stall();
        break;
      }
    }
    first = false;
    if (!descend(progress, size)) break;
  }
  equations_.copy(level.u, x_);
  equations_.copy(level.b, right_);
}

template <class T>
void Iteration<T>::take_memory() {
  if (x_.count() != 0) return;
  for (Field<T>* field : {&x_, &p_, &q_, &right_})
    *field = Field<T>(equations_.queue().device(), equations_.finest().u.extents(),
                      "a vector of conjugate gradients");
}

template <class T>
void Iteration<T>::judge(GridSolution& solution, double size, double tolerance) {
  if (solution.end != GridSolution::End::stalled) return;
  Level<T>& level = equations_.finest();
  double backward = equations_.backward_error(level.u, level.b);
  std::optional<double> error;
  if (backward <= rounding<T>) {
    error = refine();
    backward = equations_.backward_error(level.u, level.b);
    solution.residuals.back() = equations_.norm(false).first / size;
  }
  accept_rounding<T>(solution, backward, error, level.a.k.size != 0);
  if (solution.residual() <= tolerance) solution.end = GridSolution::End::converged;
}

/// What rounding leaves of the residual hides errors of u that are smooth: cycles for residuals in
/// fp64 find them. Returns the last one's part of u.
template <class T>
double Iteration<T>::refine() {
  constexpr int enough = 2;
  Level<T>& level = equations_.finest();
  take_memory();
  equations_.copy(x_, level.u);
  equations_.copy(right_, level.b);
  double error = 0;
  for (int i = 0; i < enough; ++i) {
    equations_.defect(x_, right_, level.other);
    equations_.copy(level.b, level.other);
    equations_.exchange_b();
    equations_.cycle().run_from_zero();
    if (equations_.problem().is_singular()) equations_.remove_mean();
    error = equations_.length(level.u) / equations_.length(x_);
    equations_.combine(x_, level.u, 1, 1);
  }
  equations_.copy(level.u, x_);
  equations_.copy(level.b, right_);
  return error;
}

/// Steps until the residual, as it is carried along, is small enough. False where to give up.
template <class T>
bool Iteration<T>::descend(Progressing& progress, double size) {
  Level<T>& level = equations_.finest();
  const Span<const T> r(level.b.elements());
  const bool is_singular = equations_.problem().is_singular();
  double rho_before = 0;
  while (true) {
    equations_.exchange_b();
    equations_.cycle().run_from_zero();
    if (is_singular) equations_.remove_mean();
    const double rho = equations_.product(r, level.u.elements());
    if (rho_before == 0) {
      equations_.copy(p_, level.u);
    } else {
      equations_.combine(p_, level.u, rho / rho_before, 1);
    }
    rho_before = rho;
    equations_.apply(p_, q_);
    const double steep = equations_.product(p_.elements(), q_.elements());
    if (!(rho > 0) || !(steep > 0)) { // at what rounding allows, or not a number
      progress.solution.end = GridSolution::End::stalled;
      return false;
    }
    const double step = rho / steep;
    equations_.combine(x_, p_, 1, step);
    equations_.combine(level.b, q_, 1, -step);
    // The cycle keeps its right-hand side, so the residual is still there.
    if (!progress.next(equations_.norm(true).first / size))
      return progress.solution.end == GridSolution::End::converged;
    constexpr int patience = sizeof(T) == 4 ? 8 : 50; // doubles go on where floats end too early
    if (progress.doubts(patience) && equations_.backward_error(x_, right_) <= rounding<T>) {
      progress.stall();
      return false;
    }
  }
}

/// Conjugate gradients read and write 19 arrays beside the cycle's.
template <class T>
double Iteration<T>::bytes(bool conjugate) {
  return equations_.cycle().bytes(conjugate) +
         (conjugate ? 19.0 * equations_.points() * sizeof(T) : 0);
}

template class Iteration<float>;
template class Iteration<double>;

} // namespace detail

} // namespace ridge::solve
