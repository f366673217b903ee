#include <ridge/core/error.hpp>
#include <ridge/device/dispatch.hpp>
#include <ridge/lattice/reduce.hpp>

#include <fmt/format.h>

namespace ridge::lattice {

void detail::check_room(Index needed, Index there) {
  if (needed <= there) return;
  throw UsageError(fmt::format("the result of this reduction is {} doubles; there is room for {}",
                               needed, there));
}

template <class T>
void reduce(Queue& queue, const ReduceCall<T>& call, const ReduceOptions& options) {
  const Task task(call.what == Reduction::sum ? Task::reduce_tensor : Task::reduce_number,
                  call.reproducible, call.dimension >= 0);
  const Schedule schedule = options.schedule
                                ? *options.schedule
                                : default_schedule(queue.device(), task, call.shape, call.geometry);
  on_kind_of(queue.device(), [&]<class Target>(Target) {
    using Run = Reducer<T, Target>;
    const auto* const fitting = std::get_if<typename Run::Schedule>(&schedule);
    if (fitting == nullptr) {
      throw UsageError("the schedule '" + to_text(schedule) + "' is not one for " +
                       ridge::to_text(queue.device().id()));
    }
    Run::run(queue, call, *fitting);
  });
}

template void reduce(Queue&, const ReduceCall<float>&, const ReduceOptions&);
template void reduce(Queue&, const ReduceCall<double>&, const ReduceOptions&);

} // namespace ridge::lattice
