// One solver for an equation or a stencil of one's own, whatever the fields' extents and precision.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/grid/own_operator.hpp>
#include <ridge/stencil/sweeps.hpp>

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ridge::solve {

/// laplacian(u) - shift u = f: Poisson's equation, or Helmholtz's of definite sign.
struct Poisson {
  double shift = 0; ///< at least 0
  int order = 2;    ///< 2, 4, 6 or 8
};

/// div(k grad u) - shift u = f; k is a view of the fields' extents on the device, all of it
/// positive.
template <class T>
struct VaryingPoisson {
  View<const T> k;
  double shift = 0; ///< at least 0
};

/// Solves Op(u) = f with conditions at the faces. `Op`: Poisson, VaryingPoisson, or a stencil
/// of one input that is linear and symmetric, which takes conjugate gradients without a
/// preconditioner.
///
///   solve::Solver solver(queue, solve::Poisson{}, boundaries, {.tolerance = 1e-8});
///   const solve::GridSolution how = solver.solve(f.view(), u.view());
///
/// Memory and tables are those of the last call's extents, and are kept for the next. T is float or
/// double; the queue must outlive this.
template <class Op>
class Solver {
public:
  Solver(Queue& queue, Op op, stencil::Boundaries boundaries, GridOptions options = {})
      : queue_(queue), op_(std::move(op)), boundaries_(std::move(boundaries)),
        options_(std::move(options)) {}

  /// As Multigrid::solve and OwnOperator::solve: views of like extents on the device. Throws
  /// UsageError for other extents, and for a problem or an operator that cannot be solved.
  template <class T>
  [[nodiscard]] GridSolution solve(const View<T>& f, const View<std::remove_const_t<T>>& u) {
    using V = std::remove_const_t<T>;
    auto& body = std::get<std::unique_ptr<Body<V>>>(bodies_);
    if (!body || body->problem.extents != f.extents)
      body = std::make_unique<Body<V>>(queue_, op_, problem(f.extents));
    return body->solver->solve(View<const V>(f), u, options_);
  }

private:
  static constexpr bool is_plain = std::is_same_v<Op, Poisson>;
  template <class O>
  struct Varies : std::false_type {};
  template <class T>
  struct Varies<VaryingPoisson<T>> : std::true_type {};
  static constexpr bool varies = Varies<Op>::value;

  [[nodiscard]] GridProblem problem(Index3 extents) const {
    GridProblem all{extents, boundaries_};
    if constexpr (is_plain || varies) all.shift = op_.shift;
    if constexpr (is_plain) all.order = op_.order;
    return all;
  }

  template <class T>
  struct Body {
    GridProblem problem;
    std::optional<stencil::Sweeps> sweeps;
    std::unique_ptr<std::conditional_t<is_plain || varies, Multigrid<T>, OwnOperator<T>>> solver;

    Body(Queue& queue, const Op& op, GridProblem of) : problem(std::move(of)) {
      if constexpr (is_plain || varies) {
        solver = std::make_unique<Multigrid<T>>(queue, problem);
        if constexpr (varies) solver->set_coefficient(op.k);
      } else {
        solver = std::make_unique<OwnOperator<T>>(
            queue, problem, [this, &queue, op](const View<const T>& in, const View<T>& out) {
              if (sweeps) {
                sweeps->restart(std::vector<View<const T>>{in});
              } else {
                sweeps.emplace(queue, op, std::vector<View<const T>>{in}, problem.boundaries);
              }
              sweeps->run(1);
              sweeps->read(0, out);
            });
      }
    }
  };

  Queue& queue_;
  Op op_;
  stencil::Boundaries boundaries_;
  GridOptions options_;
  std::tuple<std::unique_ptr<Body<float>>, std::unique_ptr<Body<double>>> bodies_;
};

} // namespace ridge::solve

namespace ridge::stencil {
using solve::Solver;
} // namespace ridge::stencil
