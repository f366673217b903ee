#include "stencil_job.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace ridge::app {

namespace {

using stencil::Spacing;

struct Known {
  std::string_view name, meaning;
};
constexpr std::array<Known, 5> kernels{
    {{"laplacian", "finite-difference Laplacian of order 2, 1-D to 3-D"},
     {"laplacian4", "the same of order 4"},
     {"laplacian6", "the same of order 6"},
     {"laplacian8", "the same of order 8"},
     {"box27", "the 27-point Laplacian, 3-D, of equal spacing along x, y and z"}}};

using lab::StencilJob;

template <class T, int Order>
StencilJob laplacian(std::string_view name, int rank, Spacing h) {
  using stencil::Laplacian;
  if (rank == 1) return lab::stencil_job<Laplacian<Order, 1>, T>(name, Laplacian<Order, 1>(h));
  if (rank == 2) return lab::stencil_job<Laplacian<Order, 2>, T>(name, Laplacian<Order, 2>(h));
  return lab::stencil_job<Laplacian<Order, 3>, T>(name, Laplacian<Order, 3>(h));
}

template <class T>
StencilJob box27(std::string_view name, int rank, Spacing h) {
  if (rank != 3) {
    throw UsageError(fmt::format("{} takes three dimensions, not {}", name, rank));
  }
  if (h.x != h.y || h.x != h.z) {
    throw UsageError(fmt::format("{} takes equal spacing along x, y and z, not {}x{}x{}; laplacian "
                                 "takes any",
                                 name, h.x, h.y, h.z));
  }
  return lab::stencil_job<stencil::Box27, T>(name, stencil::Box27(h.x));
}

/// Weights hold 1 / spacing^2, which must not leave the numbers of T.
template <class T>
void require_fitting(Spacing spacing, int rank) {
  const double along[3] = {spacing.x, spacing.y, spacing.z};
  for (int d = 0; d < rank; ++d) {
    if (!std::isnormal(static_cast<T>(1 / (along[d] * along[d])))) {
      throw UsageError(fmt::format("spacing {}: 1/spacing^2 is beyond the numbers of {}; use other "
                                   "units of length",
                                   along[d], sizeof(T) == 4 ? "fp32" : "fp64"));
    }
  }
}

template <class T>
StencilJob make(std::string_view kernel, int rank, Spacing spacing) {
  require_fitting<T>(spacing, rank);
  if (kernel == "laplacian") return laplacian<T, 2>(kernel, rank, spacing);
  if (kernel == "laplacian4") return laplacian<T, 4>(kernel, rank, spacing);
  if (kernel == "laplacian6") return laplacian<T, 6>(kernel, rank, spacing);
  if (kernel == "laplacian8") return laplacian<T, 8>(kernel, rank, spacing);
  return box27<T>(kernel, rank, spacing);
}

} // namespace

void require_stencil_kernel(std::string_view kernel) {
  std::string names;
  for (const Known& known : kernels) {
    if (known.name == kernel) return;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  throw UsageError(fmt::format("unknown kernel '{}'; apply takes one input, and its kernels are {}",
                               kernel, names));
}

StencilJob make_stencil_job(std::string_view kernel, int rank, int element_bytes, Spacing spacing) {
  require_stencil_kernel(kernel);
  return element_bytes == 4 ? make<float>(kernel, rank, spacing)
                            : make<double>(kernel, rank, spacing);
}

std::string stencil_kernel_help() {
  std::string lines = "kernels:\n";
  for (const Known& known : kernels)
    lines += fmt::format("  {:<12} {}\n", known.name, known.meaning);
  return lines;
}

} // namespace ridge::app
