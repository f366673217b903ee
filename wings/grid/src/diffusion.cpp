// With A = -laplacian + s, s = 1 / (theta dt D), r = (1 - theta) / theta, and c what faces add, a
// step solves A u' = (1 + r) (s u + c) - r A u: theta is 1 of backward Euler, 1/2 of
// Crank-Nicolson. The laplacian may be div(k grad).
#include <ridge/core/error.hpp>
#include <ridge/grid/diffusion.hpp>

#include "core/refuse.hpp"
#include "fourier.hpp"
#include "fourier_library.hpp"
#include "iteration.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::solve {

namespace {

double theta_of(const DiffusionOptions& options) {
  return options.scheme == ImplicitScheme::backward_euler ? 1 : 0.5;
}

GridProblem shifted(GridProblem problem, const DiffusionOptions& o) {
  for (const auto& [number, name] : {std::pair{o.diffusivity, "the diffusivity"},
                                     std::pair{o.dt, "dt"}, std::pair{o.tolerance, "tolerance"}}) {
    refuse_if(!(number > 0) || !std::isfinite(number), "{} is {:g}; it must be positive", name,
              number);
  }
  problem.shift = 1 / (theta_of(o) * o.dt * o.diffusivity);
  return problem;
}

} // namespace

template <class T>
class Diffusion<T>::Body {
public:
  Body(Queue& queue, const GridProblem& problem, const DiffusionOptions& options,
       comm::Communicator* ranks)
      : options_(options), equations_(queue, shifted(problem, options), ranks),
        iteration_(equations_) {
    const Extents n = equations_.finest().u.extents();
    for (Field<T>* field : {&faces_, &before_})
      *field = Field<T>(queue.device(), n, "an array of implicit steps");
    equations_.gather_faces(faces_);
    equations_.set_zero(equations_.finest().b);
    const Device& device = queue.device();
    if (options.reproducible || equations_.cycle().shared() != nullptr ||
        !detail::Fourier<T>::problem(device).empty() ||
        !detail::Fourier<T>::is_small(device, equations_.problem()))
      return;
    try {
      fourier_ = std::make_unique<detail::Fourier<T>>(equations_);
    } catch (const Failure&) { // too little memory: cycles need none
    }
  }

  void set_coefficient(const View<const T>& k) {
    equations_.set_coefficient(k);
    equations_.cycle().set(CycleShape::v, equations_.cycle().usual_smoother(true));
    equations_.gather_faces(faces_);
    fourier_.reset();
  }
  void set(const View<const T>& u) {
    equations_.require_extents(u.extents, "u");
    equations_.gather(u, 1, false, equations_.finest().u);
  }
  void read(const View<T>& u) {
    equations_.require_extents(u.extents, "u");
    equations_.scatter(u);
    equations_.queue().wait();
  }
  [[nodiscard]] int levels() const { return equations_.cycle().levels(); }
  [[nodiscard]] std::string method() const {
    GridSolution how;
    how.conjugate = varies();
    how.smoother = equations_.cycle().usual_smoother(varies());
    if (fourier_) how.transform = detail::fourier_library_name(equations_.queue().device());
    return how.method();
  }

  DiffusionSteps run(Index steps) {
    DiffusionSteps how;
    Index transforms = 0;
    const GridOptions options{.method = GridMethod::multigrid,
                              .tolerance = options_.tolerance,
                              .most_cycles = options_.most_cycles.value_or(varies() ? 10000 : 50),
                              .full = false,
                              .reproducible = options_.reproducible};
    detail::Level<T>& finest = equations_.finest();
    while (how.steps < steps && how.converged) {
      equations_.copy(before_, finest.u);
      make_right_hand_side(finest);
      const double size = equations_.norm(true).first;
      if (!std::isfinite(size)) {
        how.worst = size;
        how.converged = false;
        equations_.copy(finest.u, before_);
        break;
      }
      GridSolution solution;
      solution.conjugate = varies();
      detail::Progressing progress(options, solution);
      if (size > 0) {
        if (fourier_) fourier_->solve(finest.b, finest.u);
        // No cycle where the residual is as small.
        varies() ? iteration_.conjugate_gradients(progress, size)
                 : iteration_.cycles(progress, size);
        iteration_.judge(solution, size, options.tolerance);
        if (fourier_) ++transforms;
      } else { // u and what faces add are 0
        solution.end = GridSolution::End::converged;
        solution.residuals = {size};
        equations_.set_zero(finest.u);
      }
      how.cycles += solution.cycles;
      how.worst = std::isnan(solution.residual()) ? solution.residual()
                                                  : std::max(how.worst, solution.residual());
      how.converged = solution.end == GridSolution::End::converged;
      if (how.converged) {
        ++how.steps;
      } else {
        equations_.copy(finest.u, before_);
      }
    }
    how.bytes = static_cast<double>(how.cycles) * iteration_.bytes(varies());
    if (fourier_) how.bytes += static_cast<double>(transforms) * fourier_->bytes();
    how.cycles += transforms;
    return how;
  }

private:
  [[nodiscard]] bool varies() const { return equations_.finest().a.k.size != 0; }
  void make_right_hand_side(detail::Level<T>& finest) {
    const double theta = theta_of(options_);
    const double r = (1 - theta) / theta;
    const double s = equations_.problem().shift;
    if (r > 0) equations_.apply(finest.u, finest.other);
    equations_.copy(finest.b, faces_);
    equations_.combine(finest.b, finest.u, 1 + r, s * (1 + r));
    if (r > 0) equations_.combine(finest.b, finest.other, 1, -r);
    equations_.exchange_b();
  }

  DiffusionOptions options_;
  detail::Equations<T> equations_;
  detail::Iteration<T> iteration_;
  std::unique_ptr<detail::Fourier<T>> fourier_; ///< where it can be taken
  Field<T> faces_;                              ///< what they add
  Field<T> before_;                             ///< u before the step
};

template <class T>
Diffusion<T>::Diffusion(Queue& queue, const GridProblem& problem, const DiffusionOptions& options)
    : body_(std::make_unique<Body>(queue, problem, options, nullptr)) {}
template <class T>
Diffusion<T>::Diffusion(Queue& queue, const GridProblem& problem, const DiffusionOptions& options,
                        comm::Communicator& ranks)
    : body_(std::make_unique<Body>(queue, problem, options, &ranks)) {}
template <class T>
Diffusion<T>::~Diffusion() = default;
template <class T>
void Diffusion<T>::set_coefficient(const View<const T>& k) {
  body_->set_coefficient(k);
}
template <class T>
void Diffusion<T>::set(const View<const T>& u) {
  body_->set(u);
}
template <class T>
DiffusionSteps Diffusion<T>::run(Index steps) {
  return body_->run(steps);
}
template <class T>
void Diffusion<T>::read(const View<T>& u) {
  body_->read(u);
}
template <class T>
int Diffusion<T>::levels() const {
  return body_->levels();
}

template <class T>
std::string Diffusion<T>::method() const {
  return body_->method();
}

template class Diffusion<float>;
template class Diffusion<double>;

} // namespace ridge::solve
