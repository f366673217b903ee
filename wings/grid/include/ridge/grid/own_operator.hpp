// Conjugate gradients for a symmetric operator of one's own on a grid of points.
#pragma once

#include <ridge/grid/multigrid.hpp>

#include <functional>
#include <memory>

namespace ridge::solve {

/// Solves A u = f for any linear, symmetric and definite A, positive or negative, such as a
/// stencil. T is float or double.
template <class T>
class OwnOperator {
public:
  /// Gives A of a field with the problem's conditions at faces to the queue: views of the problem's
  /// extents on the device. Points on dirichlet faces hold the faces' values; what is written there
  /// does not count.
  using Apply = std::function<void(const View<const T>& u, const View<T>& out)>;

  /// Takes extents and boundaries of `problem`. Tests on random vectors that the operator is
  /// linear, symmetric in sums weighted by the points' volumes (half at neumann faces), and not 0.
  /// Throws UsageError that says by how much it is not.
  OwnOperator(Queue& queue, const GridProblem& problem, Apply apply);
  /// For ranks that share the problem as Multigrid's do: views are of what a rank owns, and `apply`
  /// and all calls are collective.
  OwnOperator(Queue& queue, const GridProblem& problem, Apply apply, comm::Communicator& ranks);
  ~OwnOperator();
  OwnOperator(const OwnOperator&) = delete;
  OwnOperator& operator=(const OwnOperator&) = delete;

  /// As Multigrid::solve; of the options tolerance, most_cycles (iterations here), full and
  /// progress count. Ends as stalled where the operator turns out not to be definite.
  [[nodiscard]] GridSolution solve(const View<const T>& f, const View<T>& u,
                                   const GridOptions& options = {});

private:
  class Body;
  std::unique_ptr<Body> body_;
};

} // namespace ridge::solve
