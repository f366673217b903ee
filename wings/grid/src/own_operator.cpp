#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/grid/own_operator.hpp>

#include "iteration.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace ridge::solve {

template <class T>
class OwnOperator<T>::Body {
public:
  Body(Queue& queue, GridProblem problem, Apply apply, comm::Communicator* ranks)
      : equations_(queue, simple(std::move(problem)), ranks), apply_(std::move(apply)) {
    const Extents n = equations_.finest().u.extents();
    for (Field<T>* field : {&x_, &r_, &p_, &q_, &affine_})
      *field = Field<T>(queue.device(), n, "a vector of conjugate gradients");
    const Index3 mine = equations_.extents();
    const Extents all{mine.x, mine.y, mine.z};
    in_ = Field<T>(queue.device(), all, "the operator's field");
    out_ = Field<T>(queue.device(), all, "the operator's result");
    // With values at faces the operator is affine: what it makes of 0 is its constant part.
    equations_.set_zero(p_);
    give_operator(p_, affine_);
    require_symmetric();
  }

  GridSolution solve(const View<const T>& f, const View<T>& u, const GridOptions& options) {
    equations_.require_extents(f.extents, "the right-hand side");
    equations_.require_extents(u.extents, "the solution");
    const auto begin = std::chrono::steady_clock::now();
    GridSolution solution;
    solution.conjugate = true;
    solution.levels = 1;
    // Of an iteration: the operator reads and writes 5 arrays, with copies; the vectors take 15.
    solution.cycle_bytes = 20.0 * sizeof(T) * equations_.points();
    attempt(f, View<const T>(u), options, solution);
    judge(solution);
    if (const std::optional<int> best = detail::best_of_failed(solution)) {
      // The same steps again, as far as they were good.
      GridOptions until = options;
      until.most_cycles = *best;
      until.progress = {};
      const auto end = solution.end;
      attempt(f, View<const T>(u), until, solution);
      solution.end = end;
      judge(solution);
    }
    if (unit_ != 1) equations_.combine(x_, x_, 1 / unit_, 0);
    equations_.copy(equations_.finest().u, x_);
    equations_.scatter(u);
    equations_.queue().wait();
    solution.seconds =
        Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
    return solution;
  }

private:
  /// Leaves x.
  void attempt(const View<const T>& f, const View<const T>& guess, const GridOptions& options,
               GridSolution& solution) {
    Field<T>& right = equations_.finest().b;
    solution.cycles = 0;
    const auto begin_with = [&](double unit) {
      equations_.gather(f, T(1), false, right);
      equations_.combine(right, affine_, sign_ * unit, -sign_ * unit);
      return length(right);
    };
    double size = begin_with(1);
    unit_ = length(affine_) > 0 ? 1 : detail::unit_of_size<T>(size, begin_with);
    if (unit_ != 1) size = begin_with(unit_);
    equations_.require_measurable(size, right);
    if (options.full) {
      equations_.set_zero(x_);
    } else {
      equations_.gather(guess, T(1), false, x_);
      if (unit_ != 1) equations_.combine(x_, x_, unit_, 0);
    }
    detail::Progressing progress(options, solution);
    if (size > 0 || !options.full) {
      descend(progress, right, size > 0 ? size : 1);
    } else {
      solution.residuals = {0};
      solution.end = GridSolution::End::converged;
    }
  }

  /// |A| |u| is estimated by what the operator makes of a random field.
  void judge(GridSolution& solution) {
    if (solution.end != GridSolution::End::stalled) return;
    const Field<T>& right = equations_.finest().b;
    multiply(x_, r_);
    equations_.combine(r_, right, -1, 1);
    const double all = magnitude_ * length(x_) + length(right);
    detail::accept_rounding<T>(solution, length(r_) / all, {});
  }

  static GridProblem simple(GridProblem problem) {
    problem.order = 2;
    problem.shift = 1; // whether the operator fixes the mean is not known
    return problem;
  }

  [[nodiscard]] static Span<const T> span(const Field<T>& x) { return Span<const T>(x.elements()); }
  [[nodiscard]] double length(const Field<T>& x) {
    return std::sqrt(equations_.product(span(x), span(x)));
  }

  /// What the operator makes of a field, constant part included.
  void give_operator(const Field<T>& x, Field<T>& to) {
    equations_.copy(equations_.finest().u, x);
    equations_.scatter(in_.view());
    apply_(View<const T>(in_.view()), out_.view());
    equations_.gather(View<const T>(out_.view()), T(1), false, to);
  }
  /// to = A x, with the sign that makes A positive.
  void multiply(const Field<T>& x, Field<T>& to) {
    give_operator(x, to);
    equations_.combine(to, affine_, sign_, -sign_);
  }

  void require_symmetric() {
    fill_random(equations_.queue(), p_.elements(), 1);
    fill_random(equations_.queue(), r_.elements(), 2);
    Field<T>& ap = q_;
    Field<T>& ar = x_;
    multiply(p_, ap);
    multiply(r_, ar);
    const double size = length(ap) * length(r_) + length(ar) * length(p_);
    const double constant = length(affine_);
    if (!std::isfinite(size) || !(size > 0))
      throw UsageError("the operator gives 0, or values that are not finite, of a random field");
    const double tolerance = sizeof(T) == 8 ? 1e-9 : 1e-3;
    const double apart =
        std::abs(equations_.product(span(p_), span(ar)) - equations_.product(span(r_), span(ap)));
    // A (p + r) = A p + A r.
    equations_.copy(equations_.finest().b, p_);
    equations_.combine(equations_.finest().b, r_, 1, 1);
    equations_.combine(ap, ar, 1, 1);
    Field<T>& both = ar;
    const Field<T> sum(equations_.queue().device(), p_.extents(), "a sum");
    equations_.copy(sum, equations_.finest().b);
    multiply(sum, both);
    equations_.combine(both, ap, 1, -1);
    const double bent = length(both) / (length(ap) + constant);
    if (bent > tolerance)
      throw UsageError(fmt::format("the operator is not linear: of the sum of two random fields it "
                                   "makes {:.2g} else than the sum of what it makes of them",
                                   bent));
    if (apart > tolerance * size)
      throw UsageError(fmt::format("the operator is not symmetric, as conjugate gradients need it: "
                                   "products with two random fields differ by {:.2g}",
                                   apart / size));
    multiply(p_, ap);
    if (equations_.product(span(p_), span(ap)) < 0) sign_ = -1;
    equations_.combine(p_, r_, 1, -1);
    multiply(p_, ap);
    magnitude_ = 2 * length(ap) / length(p_); // signs of numbers about 0 cancel half of their sizes
  }

  void descend(detail::Progressing& progress, const Field<T>& right, double size) {
    const auto start = [&] { // r = right - A x
      multiply(x_, r_);
      equations_.combine(r_, right, -1, 1);
      equations_.copy(p_, r_);
      return equations_.product(span(r_), span(r_));
    };
    double rho = start();
    if (!progress.begin(std::sqrt(rho) / size)) return;
    GridSolution& solution = progress.solution;
    for (int anew = 0;; ++anew) { // where rounding has parted the residual from that of x
      while (true) {
        multiply(p_, q_);
        const double steep = equations_.product(span(p_), span(q_));
        if (!(steep > 0)) {
          solution.end = GridSolution::End::stalled;
          return;
        }
        const double step = rho / steep;
        equations_.combine(x_, p_, 1, step);
        equations_.combine(r_, q_, 1, -step);
        const double next = equations_.product(span(r_), span(r_));
        const bool goes_on = progress.next(std::sqrt(next) / size);
        if (!goes_on) break;
        equations_.combine(p_, r_, next / rho, 1);
        rho = next;
      }
      rho = start();
      progress.correct(std::sqrt(rho) / size);
      if (solution.end != GridSolution::End::converged ||
          solution.residual() <= 2 * progress.options.tolerance)
        return;
      solution.end = GridSolution::End::cycles;
      if (anew == 3) return progress.stall();
    }
  }

  detail::Equations<T> equations_;
  Apply apply_;
  double sign_ = 1;
  double unit_ = 1;      ///< of right-hand side and x, a power of two
  double magnitude_ = 0; ///< of |A|, about
  Field<T> x_, r_, p_, q_, affine_, in_, out_;
};

template <class T>
OwnOperator<T>::OwnOperator(Queue& queue, const GridProblem& problem, Apply apply)
    : body_(std::make_unique<Body>(queue, problem, std::move(apply), nullptr)) {}
template <class T>
OwnOperator<T>::OwnOperator(Queue& queue, const GridProblem& problem, Apply apply,
                            comm::Communicator& ranks)
    : body_(std::make_unique<Body>(queue, problem, std::move(apply), &ranks)) {}
template <class T>
OwnOperator<T>::~OwnOperator() = default;
template <class T>
GridSolution OwnOperator<T>::solve(const View<const T>& f, const View<T>& u,
                                   const GridOptions& options) {
  return body_->solve(f, u, options);
}

template class OwnOperator<float>;
template class OwnOperator<double>;

} // namespace ridge::solve
