#include "entry_checks.hpp"

#include <ridge/core/error.hpp>

#include "../../../core/refuse.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace ridge::lab {

void require_rank(std::string_view kernel, int least, int most, int rank, std::string_view given) {
  if (rank >= least && rank <= most) return;
  constexpr std::array words{"no", "one", "two", "three"};
  const char* const last = words[static_cast<std::size_t>(most)];
  throw UsageError(fmt::format(
      "{} takes {} dimension{}, not {}", kernel,
      least == most ? last : fmt::format("{} to {}", words[static_cast<std::size_t>(least)], last),
      most == 1 ? "" : "s", given.empty() ? std::to_string(rank) : std::string(given)));
}

void require_spacing(std::string_view kernel, bool equal, Spacing h, int rank, int element_bytes) {
  refuse_if(equal && (h.x != h.y || h.x != h.z),
            "{} takes equal spacing along x, y and z, not {}x{}x{}; laplacian takes any", kernel,
            h.x, h.y, h.z);
  const double along[3] = {h.x, h.y, h.z};
  for (int d = 0; d < rank; ++d) {
    const double weight = 1 / (along[d] * along[d]);
    if (element_bytes == 4 ? std::isnormal(static_cast<float>(weight)) : std::isnormal(weight))
      continue;
    throw UsageError(fmt::format("spacing {}: 1/spacing^2 is beyond the numbers of {}; use other "
                                 "units of length",
                                 along[d], element_bytes == 4 ? "fp32" : "fp64"));
  }
}

} // namespace ridge::lab
