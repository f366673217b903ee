#include "pairs_bench.hpp"

#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/pairs.hpp>
#include <ridge/lab/pairs_kernel.hpp>

#include <fmt/format.h>

namespace ridge::lab {

Index bodies_asked(const Extents& size, const std::string& precision, const std::string& name,
                   bool mixed) {
  if (size.rank() != 1) {
    throw UsageError(
        fmt::format("{} takes a number of bodies, such as 65536, not {}", name, to_text(size)));
  }
  if (precision != "fp32" && precision != "fp64" && !(mixed && precision == "mixed")) {
    throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name,
                                 mixed ? "fp32, fp64 and mixed" : "fp32 and fp64"));
  }
  return size.count();
}

void add_pairs_kernels(std::vector<BenchKernel>& kernels) {
  kernels.push_back(pairs_kernel("gravity", "accelerations and potentials of bodies, softened",
                                 pairs::Gravity<>{1e-4}));
  kernels.push_back(
      pairs_kernel("coulomb", "electric fields and potentials of charges", pairs::Coulomb{1e-4}));
  kernels.push_back(pairs_kernel("lennard-jones", "forces and energies of atoms with a cutoff",
                                 pairs::LennardJones{}, &random_atoms));
  kernels.push_back(pairs_kernel("gaussian", "weighted sums of Gaussian kernels of points",
                                 pairs::Gaussian(0.25)));
  kernels.push_back(pairs_kernel("biot-savart", "velocities that vortex particles induce",
                                 pairs::BiotSavart{1e-4}));
}

} // namespace ridge::lab
