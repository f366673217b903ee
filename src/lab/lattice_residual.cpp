// The lab's reduction of an expression.
#include <ridge/lab/precision.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/residual_case.hpp>
#include <ridge/lattice/width.hpp>

#include "benches.hpp"

namespace ridge::lab {

namespace {

/// Of the vectors of its fields: that of the device where none is asked for.
template <class T>
[[nodiscard]] int residual_width(const BenchRequest& request) {
  constexpr int number_bytes = 2 * sizeof(T);
  return request.options.get("width",
                             lattice::width_for(request.device, request.size, number_bytes));
}

template <bool Exact>
BenchKernel kernel_of(const std::string& name, const std::string& meaning) {
  const auto make = [=](const BenchRequest& request, RoofSource&) {
    return in_precision(request.precision, name, [&]<class T>(T /*number*/) {
      return lattice::residual_case<T, Exact>(
          name, request.device, lattice::Lattice(request.size, residual_width<T>(request)));
    });
  };
  BenchKernel kernel{name, "lattice", meaning, Extents{64, 64, 32, 32}, make};
  kernel.make_menu = [=](const BenchRequest& r, const Place& place) {
    return in_precision(r.precision, name, [&](auto number) {
      return lattice::residual_menu<Exact>(r.size, sizeof number, place);
    });
  };
  kernel.add_ranks([=](const BenchRequest& request, RoofSource& roofs) {
    // What ranks find is added up; the bits of reproducible sums would not stay so.
    if (!Exact) return share_case(name, make, request, roofs);
    return in_precision(request.precision, name, [&]<class T>(T /*number*/) {
      const World& world = request.world;
      return lattice::residual_case<T>(name, request.device, *world.ranks,
                                       {request.size, shares_grid(world, request.size, name),
                                        world.ranks->rank(), 0, residual_width<T>(request)});
    });
  });
  return kernel;
}

} // namespace

void add_lattice_expressions(std::vector<BenchKernel>& kernels) {
  kernels.push_back(kernel_of<false>(
      "lattice-residual", "norm2(b - adj(u) x) of colour vectors and a matrix, in one pass"));
  kernels.push_back(kernel_of<true>("lattice-residual-reproducible",
                                    "the same, with the same bits on every device"));
}

} // namespace ridge::lab
