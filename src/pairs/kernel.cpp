#include <ridge/pairs/kernel.hpp>

#include "../core/refuse.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::pairs {

Index bodies_asked(const Extents& size, const std::string& precision, const std::string& name,
                   bool mixed) {
  refuse_if(size.rank() != 1, "{} takes a number of bodies, such as 65536, not {}", name,
            to_text(size));
  refuse_if(precision != "fp32" && precision != "fp64" && !(mixed && precision == "mixed"),
            "unknown precision '{}'; {} has {}", precision, name,
            mixed ? "fp32, fp64 and mixed" : "fp32 and fp64");
  return size.count();
}

ListOptions spread(const std::array<std::vector<double>*, 3>& positions,
                   const OptionValues& options) {
  const double cutoff = options.get("cutoff", 0.0);
  refuse_if(!(cutoff > 0) || !std::isfinite(cutoff), "cutoff {:g}: it must be positive", cutoff);
  const auto count = static_cast<double>(positions[0]->size());
  const double wanted = std::cbrt(count / options.get("density", 0.8442)); // of a melt
  // Squares of distances within the cutoff, none of which is much longer than the box, are whole
  // numbers of float's digits in these units.
  const double unit = std::exp2(std::floor(std::log2(std::min(cutoff, wanted))) - 10);
  const double side = std::round(wanted / unit) * unit;
  refuse_if(
      !(side / unit < 0x1p23),
      "a box of {:g} is too large for a cutoff of {:g}: positions in fp32 would be too coarse",
      side, cutoff);
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
  // 0.3 for 2.5, as is usual.
  ListOptions lists{cutoff, options.get("skin", 0.12 * cutoff), {}};
  if (options.get("box", "periodic") == "periodic") lists.box = Box::cube(side);
  return lists;
}

} // namespace ridge::pairs
