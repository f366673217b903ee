// Elliptic problems with an operator in a file of the user's own.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/grid/in_double.hpp>
#include <ridge/grid/own_operator.hpp>
#include <ridge/lab/settings.hpp>
#include <ridge/lab/user_kernel.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ridge::solve {

/// Solves `kernel`(u) = f over all ranks by conjugate gradients, with the problem's conditions at
/// faces; f and u are views of what this rank owns, on the device. `kernel` is FILE.hpp:Name, a
/// stencil of one input, with numbers set by `settings` such as "rate=0.1". Throws UsageError for a
/// functor that is no such stencil, or not symmetric.
template <class T>
[[nodiscard]] GridSolution
solve_own(Queue& queue, const GridProblem& problem, const std::string& kernel,
          const std::vector<std::string>& settings, const View<const T>& f, const View<T>& u,
          const GridOptions& options, comm::Communicator& ranks) {
  const std::vector<lab::Setting> numbers = lab::parse_settings(settings);
  const lab::UserKernel loaded = lab::load_user_kernel(kernel, numbers, lab::Use::evolution);
  if (!loaded.evolution) throw UsageError("the operator is a stencil, and " + kernel + " is none");
  const lab::Evolution functor = loaded.evolution(sizeof(T), std::nullopt);
  if (functor.traits.inputs() != 1)
    throw UsageError("the operator is a stencil of one input; " + kernel + " has " +
                     std::to_string(functor.traits.inputs()));
  stencil::require_fit(problem.boundaries, functor.traits.radius, problem.extents);
  const stencil::RankPart part(ranks, problem.extents, functor.traits, problem.boundaries, 1,
                               Index3{1, 1, ranks.ranks()});
  std::optional<stencil::Sweeps> sweeps;
  const auto apply = [&](const View<const T>& in, const View<T>& out) {
    if (sweeps) {
      sweeps->restart(std::vector<View<const T>>{in});
    } else {
      sweeps.emplace(functor.make(queue, {in.data}, part, std::nullopt));
    }
    sweeps->run(1);
    sweeps->read(0, out);
  };
  GridSolution how;
  {
    OwnOperator<T> solver(queue, problem, apply, ranks);
    how = solver.solve(f, u, options);
  }
  if constexpr (sizeof(T) == 4) {
    // Where rounding leaves so much, u may be far off: its error is not known here.
    constexpr double much = 3.5e-4;
    const bool is_doubtful =
        how.criterion == GridSolution::Criterion::rounding && how.residual() > much;
    if (how.end == GridSolution::End::stalled || is_doubtful) {
      const Field<double> right = detail::widened(queue, f);
      const Field<double> found(queue.device(), right.extents(), "the solution in double");
      GridSolution then =
          solve_own<double>(queue, problem, kernel, settings, View<const double>(right.view()),
                            found.view(), detail::rest_of(options, how), ranks);
      if (then.end == GridSolution::End::converged || then.residual() < how.residual()) {
        detail::narrow(queue, found, u);
        how = detail::joined(how, std::move(then));
      }
    }
  }
  return how;
}

} // namespace ridge::solve
