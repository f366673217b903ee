#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/lab/stencil_traits.hpp>

#include <fmt/format.h>

namespace ridge::lab {

namespace {

using stencil::Traits;

template <class K>
Traits of_precision(std::string_view kernel, std::string_view precision) {
  if (precision == "fp64") return stencil::traits_of<K, double>();
  if (precision == "fp32") return stencil::traits_of<K, float>();
  throw UsageError(fmt::format("unknown precision '{}'; {} has fp32 and fp64", precision, kernel));
}

template <int Order>
Traits laplacian(std::string_view kernel, std::string_view precision, int rank) {
  if (rank == 1) return of_precision<stencil::Laplacian<Order, 1>>(kernel, precision);
  if (rank == 2) return of_precision<stencil::Laplacian<Order, 2>>(kernel, precision);
  if (rank == 3) return of_precision<stencil::Laplacian<Order, 3>>(kernel, precision);
  throw UsageError(fmt::format("{} takes one to three dimensions, not {}", kernel, rank));
}

template <class K>
Traits three_dimensional(std::string_view kernel, std::string_view precision, int rank) {
  if (rank != 3) {
    throw UsageError(
        fmt::format("{} takes three dimensions, such as 512x512x512, not {}", kernel, rank));
  }
  return of_precision<K>(kernel, precision);
}

} // namespace

Traits stencil_traits(std::string_view kernel, std::string_view precision, int rank) {
  if (kernel == "laplacian") return laplacian<2>(kernel, precision, rank);
  if (kernel == "laplacian4") return laplacian<4>(kernel, precision, rank);
  if (kernel == "laplacian6") return laplacian<6>(kernel, precision, rank);
  if (kernel == "laplacian8") return laplacian<8>(kernel, precision, rank);
  if (kernel == "box27") return three_dimensional<stencil::Box27>(kernel, precision, rank);
  if (kernel == "diffusion") return three_dimensional<Diffusion>(kernel, precision, rank);
  const BenchKernel& other = find_bench_kernel(kernel); // throws for what is no kernel at all
  std::string stencils;
  for (const BenchKernel& k : bench_kernels()) {
    if (k.pattern == "stencil") stencils += (stencils.empty() ? "" : ", ") + k.name;
  }
  throw UsageError(fmt::format("the model knows stencils: {}; {} is of the pattern {}", stencils,
                               kernel, other.pattern));
}

} // namespace ridge::lab
