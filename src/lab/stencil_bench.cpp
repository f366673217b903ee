#include "stencil_bench.hpp"

#include <ridge/core/error.hpp>
#include <ridge/doctor/patients.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/lab/stencil_traits.hpp>

#include <fmt/format.h>

namespace ridge::lab {

namespace {

/// Different along each axis, so that a swapped axis shows.
constexpr stencil::Spacing bench_spacing{0.5, 0.75, 1.25};

template <int Order>
BenchKernel laplacian(const std::string& name) {
  const auto make = [name](const BenchRequest& request, RoofSource&) {
    using stencil::Laplacian;
    switch (request.size.rank()) {
    case 1:
      return stencil_case(name, Laplacian<Order, 1>(bench_spacing), request);
    case 2:
      return stencil_case(name, Laplacian<Order, 2>(bench_spacing), request);
    case 3:
      return stencil_case(name, Laplacian<Order, 3>(bench_spacing), request);
    default:
      throw UsageError(
          fmt::format("{} takes one to three dimensions, not {}", name, to_text(request.size)));
    }
  };
  return {name, "stencil",
          fmt::format("finite-difference Laplacian of order {}, 1-D to 3-D", Order),
          Extents{512, 512, 512}, make};
}

template <class K>
BenchKernel three_dimensional(const std::string& name, const std::string& meaning,
                              const K& kernel) {
  const auto make = [name, kernel](const BenchRequest& request, RoofSource&) {
    if (request.size.rank() != 3) {
      throw UsageError(fmt::format("{} takes three dimensions, such as 512x512x512, not {}", name,
                                   to_text(request.size)));
    }
    return stencil_case(name, kernel, request);
  };
  return {name, "stencil", meaning, Extents{512, 512, 512}, make};
}

} // namespace

void add_stencil_kernels(std::vector<BenchKernel>& kernels) {
  std::vector<BenchKernel> all;
  all.push_back(laplacian<2>("laplacian"));
  all.push_back(laplacian<4>("laplacian4"));
  all.push_back(laplacian<6>("laplacian6"));
  all.push_back(laplacian<8>("laplacian8"));
  all.push_back(three_dimensional("box27", "the 27-point Laplacian", stencil::Box27(0.5)));
  all.push_back(three_dimensional(
      "diffusion", "div(k grad u) with a variable coefficient: two inputs", Diffusion{}));
  for (BenchKernel& kernel : all) {
    kernel.make_patient = [name = kernel.name](const doctor::Examination& e) {
      return doctor::stencil_patient(stencil_traits(name, e.precision, e.size.rank()), e);
    };
    kernels.push_back(std::move(kernel));
  }
}

} // namespace ridge::lab
