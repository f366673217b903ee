#include <ridge/core/error.hpp>
#include <ridge/lab/evolution.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/stencil/stored_demand.hpp>

#include <fmt/format.h>

#include <cmath>

namespace ridge::lab {

template <class T>
Evolution evolution_of(std::string_view name,
                       std::shared_ptr<const stencil::SweptKernel<T>> kernel) {
  Evolution made;
  made.name = name;
  made.traits = kernel->traits();
  made.levels = kernel->levels();
  made.make = [kernel, name = made.name](Queue& queue, const std::vector<const void*>& fields,
                                         const auto& part, const auto& schedule) {
    std::vector<View<const T>> views;
    for (const void* const field : fields)
      views.emplace_back(static_cast<const T*>(field), part.owned().extents());
    return stencil::Sweeps(queue, kernel, views, part, schedule, name);
  };
  return made;
}
template Evolution evolution_of(std::string_view,
                                std::shared_ptr<const stencil::SweptKernel<float>>);
template Evolution evolution_of(std::string_view,
                                std::shared_ptr<const stencil::SweptKernel<double>>);

namespace {

template <class S>
Evolution stored_as(const Evolution& fp32, unsigned wide) {
  Evolution made = evolution_of<S>(
      fp32.name, stencil::stored_swept<S>(*fp32.call, fp32.functor, lab_library(), wide));
  made.stable_step = fp32.stable_step;
  made.dt = fp32.dt;
  return made;
}

} // namespace

Evolution stored_evolution(const Evolution& fp32, std::string_view storage, unsigned wide) {
  check_storage(storage);
  return storage == "fp16" ? stored_as<Fp16>(fp32, wide) : stored_as<Bf16>(fp32, wide);
}
Evolution stored_evolution(const Evolution& fp32, std::string_view storage) {
  return stored_evolution(fp32, storage, 0);
}

const EvolvingKernel& find_evolving_kernel(std::string_view name) {
  std::string names;
  for (const EvolvingKernel& kernel : evolving_kernels()) {
    if (kernel.name == name) return kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
  }
  for (const auto& system : evolving_systems())
    names += ", " + system->name;
  throw UsageError(fmt::format(
      "no kernel '{}' evolves; there are {}, and FILE.hpp:Name of your own", name, names));
}

double stable_step(const EvolutionRequest& r) {
  const EvolvingKernel& kernel = find_evolving_kernel(r.kernel);
  if (!(r.value > 0) || !std::isfinite(r.value)) {
    throw UsageError(fmt::format("a {} of {}: a positive number is right", kernel.value, r.value));
  }
  constexpr double least = 1e-100; // squares and quotients are numbers
  constexpr double most = 1e100;
  if (r.value < least || r.value > most) {
    throw UsageError(fmt::format("a {} of {}: one from {:g} to {:g} is right", kernel.value, r.value,
                                 least, most));
  }
  return kernel.stable_step(r);
}

Evolution make_evolution(const EvolutionRequest& request, double dt) {
  (void)stable_step(request); // says what is wrong with the request
  return find_evolving_kernel(request.kernel).make(request, dt);
}

} // namespace ridge::lab
