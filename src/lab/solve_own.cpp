#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/settings.hpp>
#include <ridge/lab/solve_own.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/solve/grid/own_operator.hpp>

#include <fmt/core.h>

#include <optional>

namespace ridge::lab {

template <class T>
solve::GridSolution solve_own(Queue& queue, const solve::GridProblem& problem,
                              const std::string& kernel, const std::vector<std::string>& settings,
                              const View<const T>& f, const View<T>& u,
                              const solve::GridOptions& options, comm::Communicator& ranks) {
  const std::vector<Setting> numbers = parse_settings(settings);
  const UserKernel loaded = load_user_kernel(kernel, numbers, Use::evolution);
  if (!loaded.evolution)
    throw UsageError(fmt::format("the operator is a stencil, and {} is none", kernel));
  const Evolution functor = loaded.evolution(sizeof(T), std::nullopt);
  if (functor.traits.inputs() != 1)
    throw UsageError(fmt::format("the operator is a stencil of one input; {} has {}", kernel,
                                 functor.traits.inputs()));
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
  solve::OwnOperator<T> solver(queue, problem, apply, ranks);
  return solver.solve(f, u, options);
}

template solve::GridSolution solve_own(Queue&, const solve::GridProblem&, const std::string&,
                                       const std::vector<std::string>&, const View<const float>&,
                                       const View<float>&, const solve::GridOptions&,
                                       comm::Communicator&);
template solve::GridSolution solve_own(Queue&, const solve::GridProblem&, const std::string&,
                                       const std::vector<std::string>&, const View<const double>&,
                                       const View<double>&, const solve::GridOptions&,
                                       comm::Communicator&);

} // namespace ridge::lab
