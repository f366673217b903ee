#include "stencil_bench.hpp"

#include <ridge/core/error.hpp>
#include <ridge/doctor/patients.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/rank_stencil.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/lab/stencil_traits.hpp>

#include <fmt/format.h>

namespace ridge::lab {

namespace {

/// Different along each axis, so that a swapped axis shows.
constexpr stencil::Spacing bench_spacing{0.5, 0.75, 1.25};

/// A kernel of the lab: `with(request, use)` calls `use(kernel)` with the kernel that is meant for
/// the request's size, and returns what it does.
template <class With>
BenchKernel stencil_kernel(const std::string& name, const std::string& meaning, const With& with) {
  BenchKernel made{name, "stencil", meaning, Extents{512, 512, 512},
                   [name, with](const BenchRequest& request, RoofSource&) {
                     return with(request, [&](const auto& kernel) {
                       return stencil_case(name, kernel, request);
                     });
                   }};
  made.make_rank_case = [name, with](const BenchRequest& request, comm::Communicator& ranks,
                                     const std::string& grid) {
    return with(request, [&](const auto& kernel) {
      return rank_stencil_case(name, kernel, request, ranks, grid);
    });
  };
  return made;
}

template <int Order>
BenchKernel laplacian(const std::string& name) {
  const auto with = [name](const BenchRequest& request, const auto& use) {
    using stencil::Laplacian;
    switch (request.size.rank()) {
    case 1:
      return use(Laplacian<Order, 1>(bench_spacing));
    case 2:
      return use(Laplacian<Order, 2>(bench_spacing));
    case 3:
      return use(Laplacian<Order, 3>(bench_spacing));
    default:
      throw UsageError(
          fmt::format("{} takes one to three dimensions, not {}", name, to_text(request.size)));
    }
  };
  return stencil_kernel(
      name, fmt::format("finite-difference Laplacian of order {}, 1-D to 3-D", Order), with);
}

template <class K>
BenchKernel three_dimensional(const std::string& name, const std::string& meaning,
                              const K& kernel) {
  const auto with = [name, kernel](const BenchRequest& request, const auto& use) {
    if (request.size.rank() != 3) {
      throw UsageError(fmt::format("{} takes three dimensions, such as 512x512x512, not {}", name,
                                   to_text(request.size)));
    }
    return use(kernel);
  };
  return stencil_kernel(name, meaning, with);
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
