#include "level_options.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

namespace ridge::app {

void LevelOptions::add_to(const Command& command) {
  command.add("--levels", &levels,
              "levels of running-sum, tridiagonal and elements; --size is then how many columns or "
              "elements");
  command.add("--np", &np, "points of elements along x and y: 4, 6 or 8");
}

std::string LevelOptions::kernel(const std::string& asked) const {
  if (!np) return asked;
  refuse_if(asked != "elements", "--np is for elements; {} is not of them", asked);
  if (*np == 4) return asked;
  if (*np != 6 && *np != 8) {
    throw UsageError(fmt::format("--np {}: elements of 4, 6 and 8 points are built in; others are "
                                 "chains of your own, as docs/columns.md has them",
                                 *np));
  }
  return fmt::format("elements{}", *np);
}

Extents LevelOptions::size(const std::string& kernel, const std::string& asked,
                           const Extents& otherwise) const {
  if (!levels) return asked.empty() ? otherwise : parse_extents(asked, "--size");
  const bool of_elements = kernel.starts_with("elements");
  refuse_if(!of_elements && kernel != "running-sum" && kernel != "tridiagonal",
            "--levels is for running-sum, tridiagonal and elements; {} is not one", kernel);
  if (*levels < 1) throw UsageError(fmt::format("--levels {}: 1 at least", *levels));
  const Index3 n = otherwise.xyz();
  Index count = of_elements ? otherwise[3] : n.x;
  if (!asked.empty()) {
    const Extents given = parse_extents(asked, "--size");
    refuse_if(given.rank() != 1, "--size {} with --levels: give how many {} there are", asked,
              of_elements ? "elements" : "columns");
    count = given.count();
  }
  return of_elements ? Extents{n.x, n.y, *levels, count} : Extents{count, *levels};
}

} // namespace ridge::app
