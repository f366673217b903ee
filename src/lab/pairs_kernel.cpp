#include <ridge/core/error.hpp>
#include <ridge/lab/pairs_kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

pairs::ListOptions spread(const std::array<std::vector<double>*, 3>& positions,
                          const NearRequest& request) {
  if (!(request.cutoff > 0) || !std::isfinite(request.cutoff))
    throw UsageError(fmt::format("cutoff {:g}: it must be positive", request.cutoff));
  const auto count = static_cast<double>(positions[0]->size());
  const double wanted = std::cbrt(count / request.density);
  // Squares of distances within the cutoff, none of which is much longer than the box, are whole
  // numbers of float's digits in these units.
  const double unit = std::exp2(std::floor(std::log2(std::min(request.cutoff, wanted))) - 10);
  const double side = std::round(wanted / unit) * unit;
  if (!(side / unit < 0x1p23)) {
    throw UsageError(fmt::format("a box of {:g} is too large for a cutoff of {:g}: positions in "
                                 "fp32 would be too coarse",
                                 side, request.cutoff));
  }
  for (std::vector<double>* const values : positions) {
    const auto [least, most] = std::minmax_element(values->begin(), values->end());
    // Bodies at both ends keep off each other, as neighbours on a lattice do.
    const double rows = std::ceil(std::cbrt(count));
    const double low = *least;
    const double extent = (*most - low) * (rows > 1 ? rows / (rows - 1) : 1);
    for (double& x : *values) {
      const double at = extent > 0 ? (x - low) / extent * side : side / 2;
      x = std::floor(at / unit) * unit;
    }
  }
  pairs::ListOptions options{request.cutoff, request.skin, {}};
  if (request.periodic) options.box = pairs::Box::cube(side);
  return options;
}

} // namespace ridge::lab
