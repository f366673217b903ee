// Elliptic problems with an operator in a file of the user's own.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/solve/grid/multigrid.hpp>

#include <string>
#include <vector>

namespace ridge::lab {

/// Solves `kernel`(u) = f over all ranks by conjugate gradients, with the problem's conditions at
/// faces; f and u are views of what this rank owns, on the device. `kernel` is FILE.hpp:Name, a
/// stencil of one input, with numbers set by `settings` such as "rate=0.1". Throws UsageError for a
/// functor that is no such stencil, or not symmetric.
template <class T>
[[nodiscard]] solve::GridSolution
solve_own(Queue& queue, const solve::GridProblem& problem, const std::string& kernel,
          const std::vector<std::string>& settings, const View<const T>& f, const View<T>& u,
          const solve::GridOptions& options, comm::Communicator& ranks);

} // namespace ridge::lab
