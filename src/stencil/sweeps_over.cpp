#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/stencil/stored_shell.hpp>
#include <ridge/stencil/sweeps_over.hpp>

#include <fmt/format.h>

#include <utility>

namespace ridge::stencil {

template <class T>
std::unique_ptr<Sweeps> sweeps_over(Queue& queue, std::shared_ptr<const SweptKernel<T>> kernel,
                                    const std::vector<View<const T>>& fields, const RankPart& place,
                                    const std::string& schedule, const std::string& name) {
  const Traits& traits = kernel->traits();
  if (static_cast<int>(fields.size()) != traits.inputs()) {
    throw UsageError(
        fmt::format("{} takes {} arrays, not {}", name, traits.inputs(), fields.size()));
  }
  const Index3 points = place.grid().points();
  const Boundaries& around = place.boundaries_of_all();
  const int ranks = place.communicator().ranks();
  const auto whole =
      parse_sweeps(schedule, queue.device(), traits, around, points, ranks, kernel->levels());
  // Halos are as deep as the schedule has sweeps in one pass.
  const RankPart part(place.communicator(), points, traits, around,
                      whole.pass ? sweeps_of(*whole.pass) : 1, place.grid().ranks());
  const auto laid = parse_sweeps(schedule, queue.device(), traits, part.boundaries(),
                                 part.held().extents(), ranks, kernel->levels());
  return std::make_unique<Sweeps>(queue, std::move(kernel), fields, part, laid, name);
}
template std::unique_ptr<Sweeps> sweeps_over(Queue&, std::shared_ptr<const SweptKernel<float>>,
                                             const std::vector<View<const float>>&, const RankPart&,
                                             const std::string&, const std::string&);
template std::unique_ptr<Sweeps> sweeps_over(Queue&, std::shared_ptr<const SweptKernel<double>>,
                                             const std::vector<View<const double>>&,
                                             const RankPart&, const std::string&,
                                             const std::string&);
template std::unique_ptr<Sweeps> sweeps_over(Queue&, std::shared_ptr<const SweptKernel<Fp16>>,
                                             const std::vector<View<const Fp16>>&, const RankPart&,
                                             const std::string&, const std::string&);
template std::unique_ptr<Sweeps> sweeps_over(Queue&, std::shared_ptr<const SweptKernel<Bf16>>,
                                             const std::vector<View<const Bf16>>&, const RankPart&,
                                             const std::string&, const std::string&);

} // namespace ridge::stencil
