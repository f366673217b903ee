#include <ridge/core/error.hpp>
#include <ridge/gradient/bench.hpp>
#include <ridge/lab/adjoint.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/stencil/sweeps_case.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace ridge::lab {

namespace {

/// The header of a kernel of the pattern, as it was given.
std::string file_of(const std::string& given, const std::string& pattern) {
  if (!names_a_file(given)) return fmt::format("ridge/lab/kernels/{}.hpp", pattern);
  const auto slash = given.rfind('/'); // a folder may have a colon in its name
  const auto colon = given.find(':', slash == std::string::npos ? 0 : slash);
  return std::filesystem::absolute(given.substr(0, colon)).lexically_normal().string();
}

} // namespace

BenchKernel adjoint_of(const BenchKernel& kernel, const Extents& size, const std::string& given) {
  const int rank = size.rank();
  BenchKernel made;
  if (kernel.pattern == "sweeps") { // of its step, on the grid that is benched
    const EvolutionRequest request{kernel.name, rank, 8, stencil::benched_spacing};
    const Evolution step = make_evolution(request, stable_step(request) / 2);
    made = gradient::bench_adjoints(kernel.name, {step.call, step.functor}, rank);
  } else if (kernel.pattern == "stencil") {
    made = gradient::bench_adjoints(kernel, size);
  } else {
    made = gradient::bench_adjoint_of_case(kernel, file_of(given, kernel.pattern));
  }
  if (kernel.default_size.rank() == rank) made.default_size = kernel.default_size;
  return made;
}

} // namespace ridge::lab
