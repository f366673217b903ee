#include <ridge/core/error.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/stencil/sweeps_case.hpp>

#include "../../../core/refuse.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ridge::lab {

const EvolvingKernel& find_evolving_kernel(std::string_view name) {
  std::string names;
  for (const EvolvingKernel& kernel : evolving_kernels()) {
    if (kernel.name == name) return kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
  }
  for (const std::string& other : names_evolving_otherwise())
    names += ", " + other;
  throw UsageError(fmt::format(
      "no kernel '{}' evolves; there are {}, and FILE.hpp:Name of your own", name, names));
}

BenchKernel bench_evolution(const std::string& name, const std::string& meaning,
                            const Extents& default_size,
                            stencil::CheckedEvolution (*make)(const Extents& size,
                                                              std::string_view precision)) {
  // Storage in 16 bits is compiled from the source of the kernel in fp32.
  const auto made_in = [make](const BenchRequest& request) {
    if (!is_storage(request.precision)) return make(request.size, request.precision);
    auto kernel = make(request.size, "fp32");
    kernel.made = stored_evolution(kernel.made, request.precision);
    return kernel;
  };
  const auto boundaries_of = [](const BenchRequest& r) {
    return stencil::parse_boundaries(r.options.get("boundary", "untouched"));
  };
  BenchKernel bench{name, "sweeps", meaning, default_size,
                    [=](const BenchRequest& r, RoofSource& roof) {
                      const auto kernel = made_in(r);
                      auto boundaries = boundaries_of(r);
                      boundaries.spacing = stencil::benched_spacing;
                      return sweeps_case(kernel, r.precision, r.device, r.size,
                                         r.options.get("steps", Index{16}), boundaries, roof);
                    }};
  bench.make_menu = [=](const BenchRequest& r, const Place& place) {
    const Evolution made = made_in(r).made;
    return stencil::sweeps_menu(made.traits, made.levels, boundaries_of(r), r.size.xyz(), place);
  };
  bench.stored = true;
  bench.numbers = {"hx", "hy", "hz", "value", "dt"};
  return bench;
}

double stable_step(const EvolutionRequest& r) {
  const EvolvingKernel& kernel = find_evolving_kernel(r.kernel);
  refuse_if(!(r.value > 0) || !std::isfinite(r.value), "a {} of {}: a positive number is right",
            kernel.value, r.value);
  constexpr double least = 1e-100; // squares and quotients are numbers
  constexpr double most = 1e100;
  refuse_if(r.value < least || r.value > most, "a {} of {}: one from {:g} to {:g} is right",
            kernel.value, r.value, least, most);
  return kernel.stable_step(r);
}

Evolution make_evolution(const EvolutionRequest& request, double dt) {
  (void)stable_step(request); // says what is wrong with the request
  return find_evolving_kernel(request.kernel).make(request, dt);
}

} // namespace ridge::lab
