#include <ridge/core/error.hpp>
#include <ridge/gradient/bench.hpp>
#include <ridge/lab/adjoint.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>
#include <ridge/stencil/sweeps_case.hpp>

#include <fmt/format.h>

namespace ridge::lab {

BenchKernel adjoint_of(const BenchKernel& kernel, const Extents& size) {
  const int rank = size.rank();
  BenchKernel made;
  if (kernel.pattern == "sweeps") { // of its step, on the grid that is benched
    const EvolutionRequest request{kernel.name, rank, 8, stencil::benched_spacing};
    const Evolution step = make_evolution(request, stable_step(request) / 2);
    made = gradient::bench_adjoints(kernel.name, {step.call, step.functor}, rank);
  } else if (kernel.pattern == "stencil") {
    made = gradient::bench_adjoints(kernel, size);
  } else {
    throw UsageError(
        fmt::format("{} is of the pattern {}: adjoints are those of stencils, built in "
                    "or FILE.hpp:Name",
                    kernel.name, kernel.pattern));
  }
  if (kernel.default_size.rank() == rank) made.default_size = kernel.default_size;
  return made;
}

} // namespace ridge::lab
