#include <ridge/core/error.hpp>
#include <ridge/device/dispatch.hpp>
#include <ridge/lattice/map.hpp>

namespace ridge::lattice {

template <class T>
void map(Queue& queue, const MapCall<T>& call, const SiteShape& shape,
         const std::optional<Schedule>& schedule) {
  const Schedule chosen =
      schedule ? *schedule : default_schedule(queue.device(), Task::map, shape, call.geometry);
  on_kind_of(queue.device(), [&]<class Target>(Target) {
    using Run = Mapper<T, Target>;
    const auto* const fitting = std::get_if<typename Run::Schedule>(&chosen);
    if (fitting == nullptr) {
      throw UsageError("the schedule '" + to_text(chosen) + "' is not one for " +
                       ridge::to_text(queue.device().id()));
    }
    Run::run(queue, call, *fitting);
  });
}

template void map(Queue&, const MapCall<float>&, const SiteShape&, const std::optional<Schedule>&);
template void map(Queue&, const MapCall<double>&, const SiteShape&, const std::optional<Schedule>&);

} // namespace ridge::lattice
