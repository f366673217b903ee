#include <ridge/core/error.hpp>
#include <ridge/lab/evolution.hpp>

#include <fmt/format.h>

#include <cmath>

namespace ridge::lab {

const EvolvingKernel& find_evolving_kernel(std::string_view name) {
  std::string names;
  for (const EvolvingKernel& kernel : evolving_kernels()) {
    if (kernel.name == name) return kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
  }
  throw UsageError(fmt::format(
      "no kernel '{}' evolves; there are {}, and FILE.hpp:Name of your own", name, names));
}

double stable_step(const EvolutionRequest& r) {
  const EvolvingKernel& kernel = find_evolving_kernel(r.kernel);
  if (!(r.value > 0) || !std::isfinite(r.value)) {
    throw UsageError(fmt::format("a {} of {}: a positive number is right", kernel.value, r.value));
  }
  return kernel.stable_step(r);
}

Evolution make_evolution(const EvolutionRequest& request, double dt) {
  (void)stable_step(request); // says what is wrong with the request
  return find_evolving_kernel(request.kernel).make(request, dt);
}

} // namespace ridge::lab
