#include <ridge/comm/communicator.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/stencil/evolution.hpp>
#include <ridge/stencil/stored_demand.hpp>

namespace ridge::stencil {

template <class T>
Evolution evolution_of(std::string_view name, std::shared_ptr<const SweptKernel<T>> kernel) {
  Evolution made;
  made.name = name;
  made.traits = kernel->traits();
  made.levels = kernel->levels();
  made.make = [kernel, name = made.name](Queue& queue, const std::vector<const void*>& fields,
                                         const auto& part, const auto& schedule) {
    std::vector<View<const T>> views;
    for (const void* const field : fields)
      views.emplace_back(static_cast<const T*>(field), part.owned().extents());
    return Sweeps(queue, kernel, views, part, schedule, name);
  };
  return made;
}
template Evolution evolution_of(std::string_view, std::shared_ptr<const SweptKernel<float>>);
template Evolution evolution_of(std::string_view, std::shared_ptr<const SweptKernel<double>>);

Evolution stored_evolution(const Evolution& fp32, std::string_view storage, unsigned wide) {
  check_storage(storage);
  const auto as = [&]<class S>(S /*number*/) {
    return evolution_of<S>(fp32.name, stored_swept<S>(*fp32.call, fp32.functor, wide));
  };
  Evolution made = storage == "fp16" ? as(Fp16{}) : as(Bf16{});
  made.stable_step = fp32.stable_step;
  made.dt = fp32.dt;
  return made;
}

Sweeps sweeps_alone(const Evolution& evolution, Queue& queue,
                    const std::vector<const void*>& fields, Index3 points,
                    std::string_view boundary, const Spacing& spacing,
                    const std::string& schedule) {
  static comm::Communicator* const alone = comm::alone().release(); // as long as any sweeps
  Boundaries around;
  if (!boundary.empty()) around = parse_boundaries(boundary);
  around.spacing = spacing;
  const Traits& traits = evolution.traits;
  const auto whole =
      parse_sweeps(schedule, queue.device(), traits, around, points, 1, evolution.levels);
  const RankPart part(*alone, points, traits, around, whole.pass ? sweeps_of(*whole.pass) : 1);
  return evolution.make(queue, fields, part,
                        parse_sweeps(schedule, queue.device(), traits, part.boundaries(),
                                     part.held().extents(), 1, evolution.levels));
}

} // namespace ridge::stencil
