// Implicit steps of diffusion, du/dt = D laplacian(u), each solved by Fourier transforms where the
// conditions at faces allow it, else by multigrid; or du/dt = D div(k grad u), by conjugate
// gradients with a cycle of multigrid each.
//
//   ridge::solve::Diffusion<double> heat(queue, problem, {.diffusivity = 1, .dt = 0.1});
//   heat.set(u.view());
//   const ridge::solve::DiffusionSteps how = heat.run(100);
//   heat.read(u.view());
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/core/units.hpp>
#include <ridge/device/field.hpp>
#include <ridge/grid/problem.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ridge::solve {

/// Backward Euler, of first order in dt, damps all modes; Crank-Nicolson is of second order, and
/// modes that dt does not resolve change their sign with each step.
enum class ImplicitScheme { backward_euler, crank_nicolson };
constexpr auto enum_names(ImplicitScheme) {
  return std::array<std::string_view, 2>{"backward-euler", "crank-nicolson"};
}

struct DiffusionOptions {
  double diffusivity = 1;
  double dt = 1;
  ImplicitScheme scheme = ImplicitScheme::crank_nicolson;
  /// The residual of a step over its right-hand side. The error of a step is at most as much of u,
  /// or what rounding leaves of it: GridSolution::Criterion.
  double tolerance = 1e-10;
  std::optional<int> most_cycles = {}; ///< of a step; where not given 50, with a coefficient 10000
  /// No transforms, which are for one rank: u has the same bits on any number of ranks.
  bool reproducible = false;
};

/// How steps went.
struct DiffusionSteps {
  Index steps = 0;
  Index cycles = 0;      ///< or transforms there and back
  double worst = 0;      ///< the largest residual that a step ended with; not finite where u is not
  bool converged = true; ///< all steps; else the last one did not, and u is before it
  double bytes = 0;      ///< least ones of all cycles, an array a pass
};

/// T is float or double.
template <class T>
class Diffusion {
public:
  /// `problem` has extents and boundaries; no shift. Throws UsageError for a problem without a
  /// condition at every face, and for numbers that are not positive. The queue must outlive this.
  Diffusion(Queue& queue, const GridProblem& problem, const DiffusionOptions& options);
  /// For ranks that share the problem as Multigrid's do: views are of what a rank owns.
  Diffusion(Queue& queue, const GridProblem& problem, const DiffusionOptions& options,
            comm::Communicator& ranks);
  ~Diffusion();
  Diffusion(const Diffusion&) = delete;
  Diffusion& operator=(const Diffusion&) = delete;

  /// From now on with k, as Multigrid::set_coefficient takes it: the harmonic mean between points.
  void set_coefficient(const View<const T>& k);
  /// Sets u from a view of the problem's extents on the device.
  void set(const View<const T>& u);
  /// Takes steps, until one does not converge.
  [[nodiscard]] DiffusionSteps run(Index steps);
  /// Gives u, with the values of faces.
  void read(const View<T>& u);
  /// Levels of the grid.
  [[nodiscard]] int levels() const;
  /// As GridSolution::method: "fft (FFTW)", "multigrid V(2,2)" and others.
  [[nodiscard]] std::string method() const;

private:
  class Body;
  std::unique_ptr<Body> body_;
};

} // namespace ridge::solve
