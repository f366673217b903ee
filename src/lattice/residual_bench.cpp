// Reductions of an expression among the kernels.
#include <ridge/lattice/residual_case.hpp>
#include <ridge/lattice/width.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/rank_shares.hpp>

namespace ridge::lattice {

namespace {

/// Of the vectors of its fields: that of the device where none is asked for.
[[nodiscard]] int residual_width(const BenchRequest& r, int real_bytes) {
  return r.options.get("width", width_for(r.device, r.size, 2 * real_bytes));
}

BenchKernel kernel_of(const std::string& name, const std::string& meaning, bool exact) {
  const auto make = [=](const BenchRequest& r, RoofSource&) {
    return in_precision(r.precision, name, [&](auto number) {
      const Lattice on(r.size, residual_width(r, sizeof number));
      return residual_case(name, exact, sizeof number, r.device, on);
    });
  };
  BenchKernel kernel{name, "lattice", meaning, Extents{64, 64, 32, 32}, make};
  kernel.make_menu = [=](const BenchRequest& r, const ridge::Place& place) {
    return in_precision(r.precision, name, [&](auto number) {
      return residual_menu(exact, r.size, sizeof number, place);
    });
  };
  kernel.add_ranks([=](const BenchRequest& r, RoofSource& roofs) {
    // What ranks find is added up; the bits of reproducible sums would not stay so.
    if (!exact) return share_case(name, make, r, roofs);
    return in_precision(r.precision, name, [&](auto number) {
      return residual_case(name, sizeof number, r.device, *r.world.ranks,
                           {r.size, shares_grid(r.world, r.size, name), r.world.ranks->rank(), 0,
                            residual_width(r, sizeof number)});
    });
  });
  return kernel;
}

} // namespace

const KernelsAnnounced residual_kernels(1, [] {
  return std::vector{kernel_of("lattice-residual",
                               "norm2(b - adj(u) x) of colour vectors and a matrix, in one pass",
                               false),
                     kernel_of("lattice-residual-reproducible",
                               "the same, with the same bits on every device", true)};
});

} // namespace ridge::lattice
