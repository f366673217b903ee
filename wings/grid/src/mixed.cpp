#include "mixed.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ridge::solve::detail {

namespace {

/// What cycles in fp32 may leave of a residual before it is computed anew: of noise they can leave
/// less, about 1e-6.
constexpr double deepest = 1e-5;

/// A cycle reduces less the more there were.
constexpr double slower = 1.2;

} // namespace

bool MixedCycles::has_numbers_for(const GridProblem& problem) {
  constexpr double most = 1e10;
  const auto& h = problem.boundaries.spacing;
  const Index3& n = problem.extents;
  const auto fits = [](Index points, double spacing) {
    return points == 1 || (spacing >= 1 / most && spacing <= most);
  };
  return fits(n.x, h.x) && fits(n.y, h.y) && fits(n.z, h.z) && problem.shift <= most * most;
}

double MixedCycles::rounding_of(const GridProblem& problem) {
  constexpr double pi = 3.141592653589793;
  double most = problem.shift;
  double fixed = problem.shift;                          // the least eigenvalue, 0 of a mean
  double free = std::numeric_limits<double>::infinity(); // and the least beside it
  for (int d = 0; d < 3; ++d) {
    const Axis axis = finest_axis(problem, d);
    if (axis.points() == 1) continue;
    const double weight = *std::max_element(axis.low.begin(), axis.low.end());
    const auto& faces = problem.boundaries.faces[static_cast<std::size_t>(d)];
    const int held = static_cast<int>(std::count_if(faces.begin(), faces.end(), [](const auto& c) {
      return c.kind == stencil::Boundary::dirichlet;
    }));
    const double wave = weight * std::pow(pi / axis.points(), 2); // of half a wave
    most += 4 * weight;
    fixed += held == 2 ? wave : held == 1 ? wave / 4 : 0;
    free = std::min(free, wave);
  }
  return static_cast<double>(std::numeric_limits<float>::epsilon()) / 2 * most /
         (fixed > 0 ? fixed : free);
}

Equations<double>& MixedCycles::with_memory(Equations<double>& equations,
                                            comm::Communicator* ranks) {
  if (ranks == nullptr || ranks->ranks() == 1) return equations;
  bool is_enough = true;
  try {
    const Memory room(equations.queue().device(), Bytes{2 * equations.finest().u.count() * 8},
                      "cycles in fp32");
  } catch (const Failure&) {
    is_enough = false;
  }
  const std::vector<char> all = ranks->gather(static_cast<char>(is_enough));
  if (std::count(all.begin(), all.end(), 1) < ranks->ranks())
    throw Failure("memory does not suffice for cycles in fp32 on each rank");
  return equations;
}

/// A power of two, so that nothing is rounded by it.
double MixedCycles::scale_for(double residual) const {
  return std::exp2(std::floor(std::log2(residual / std::sqrt(equations_.points()))));
}

MixedCycles::End MixedCycles::run(Progressing& progress, double size) {
  const bool is_full = progress.options.full;
  GridSolution& solution = progress.solution;
  cycles_ = corrections_ = 0;
  factor_ = 0;
  double before = size;
  if (is_full) {
    if (!progress.begin(1)) return End::done;
    scale_ = scale_for(size);
    equations_.give(
        Narrowed{equations_.finest().b.elements(), narrow_.finest().b.elements(), 1 / scale_});
  } else {
    estimate_ = size;
    before = correct(true, false);
    if (!std::isfinite(before)) return End::begins_anew;
    if (!progress.begin(before / size)) return End::done;
  }
  for (bool first = true;; first = false) {
    const bool goes_on = descend(progress, size, before, first && is_full);
    const double residual = correct(!first || !is_full, true);
    const bool may_go_on = goes_on && progress.next(residual / size);
    cycles_ = solution.cycles;
    const bool gains = residual < 0.5 * before;
    const bool stalled = solution.end == GridSolution::End::stalled || (may_go_on && !gains);
    if (!(residual < before)) { // u as it was
      equations_.cycle().take_other();
      if (first && is_full) return begin_anew(progress);
      progress.correct(before / size);
    } else {
      progress.correct(residual / size);
    }
    if (residual <= progress.options.tolerance * size) {
      solution.end = GridSolution::End::converged;
      return End::done;
    }
    if (stalled) return progress.again() ? End::goes_on : End::done;
    if (!may_go_on) return End::done;
    before = residual;
  }
}

/// From a u of 0. Where there were the most cycles, or somebody stopped them, it stays.
MixedCycles::End MixedCycles::begin_anew(Progressing& progress) {
  GridSolution& solution = progress.solution;
  equations_.set_zero(equations_.finest().u);
  if (solution.end == GridSolution::End::stopped || solution.cycles >= progress.most()) {
    progress.correct(1);
    return End::done;
  }
  solution.end = GridSolution::End::cycles;
  solution.cycles = 0;
  return End::begins_anew;
}

/// Cycles for what is left, from zero or from a full start. The last one is not noted. False where
/// progress ends here, and then it is.
bool MixedCycles::descend(Progressing& progress, double size, double before, bool starts) {
  const double enough = std::max(deepest * before, progress.options.tolerance * size);
  starts ? cycle().run_full_start() : cycle().run_first();
  double last = before;
  for (bool first = true;; first = false) {
    estimate_ = last * factor_;
    if (factor_ > 0 && slower * estimate_ <= enough) return true; // as the residual will say
    estimate_ = scale_ * left_by_cycles();
    const double factor = estimate_ / last;
    const bool at_rounding =
        factor > 0.1 && factor > 2 * factor_ && factor_ > 0 && estimate_ < rounding_ * before;
    const bool is_slow = factor > 0.9 || (factor > 0.5 && !first && factor > 1.3 * factor_);
    if (is_slow || at_rounding) factor_ = 0; // is no cycle's of the next ones
    if (!(estimate_ > enough) || is_slow || at_rounding) return true;
    if (!progress.next(estimate_ / size)) return false;
    factor_ = factor;
    last = estimate_;
    improve();
  }
}

/// The first pass of a cycle gives the residual of the one before, where it has it for nothing.
double MixedCycles::left_by_cycles() {
  return narrow_.counts(false) ? narrow_.begin_cycle() : narrow_.norm(false).first;
}
void MixedCycles::improve() {
  narrow_.counts(false) ? cycle().finish() : cycle().run();
}

/// Adds what cycles found to u. Returns the residual's norm and leaves it to the next cycles.
double MixedCycles::correct(bool has_u, bool has_e) {
  Level<double>& level = equations_.finest();
  Corrected c;
  c.a = level.a;
  if (has_u) c.u = level.u.elements();
  c.b = level.b.elements();
  if (has_e) c.e = narrow_.finest().u.elements();
  c.scale = scale_;
  scale_ = std::isfinite(estimate_) && estimate_ > 0 ? scale_for(estimate_) : 1;
  c.number = 1 / scale_;
  c.out = level.other.elements();
  c.left = narrow_.finest().b.elements();
  const double residual = equations_.corrected(c);
  narrow_.exchange_b(); // planes at the ends of what ranks have lack neighbours
  if (has_e) equations_.cycle().take_other();
  ++corrections_;
  return residual;
}

double MixedCycles::bytes() const {
  constexpr double a_correction = 3 * 8 + 2 * 4; // u twice and b; what is found and what is left
  const double of_all = corrections_ * a_correction * equations_.points();
  return narrow_.cycle().bytes(false) + of_all / std::max(cycles_, 1);
}

} // namespace ridge::solve::detail
