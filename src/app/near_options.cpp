#include "near_options.hpp"

#include <ridge/core/error.hpp>

#include <fmt/core.h>

namespace ridge::app {

void NearOptions::add_to(const Command& command) {
  command.add("--cutoff", &cutoff,
              "interactions: only of pairs nearer than that, by lists; see docs/near_pairs.md");
  command.add("--skin", &skin,
              "with --cutoff: lists hold pairs that are so much farther apart; 0.12 of it if not "
              "given");
  command.add("--density", &density,
              "with --cutoff: bodies in a unit of volume; 0.8442 if not given");
  command.add("--box", &box, "with --cutoff: periodic (if not given) or open");
}

std::optional<lab::NearRequest> NearOptions::request(const lab::BenchKernel& chosen,
                                                     const std::string& named) const {
  if (!cutoff) {
    if (skin || density || !box.empty())
      throw UsageError("--skin, --density and --box go with --cutoff");
    return {};
  }
  if (!chosen.among_bodies())
    throw UsageError(fmt::format("--cutoff is for interactions; {} is not one", named));
  if (!box.empty() && box != "periodic" && box != "open")
    throw UsageError(fmt::format("--box {}: periodic or open", box));
  if (density && !(*density > 0 && *density < 1e30))
    throw UsageError(fmt::format("--density {:g}: it must be positive", *density));
  // 0.3 for 2.5, as is usual; the density of the benchmark of a melt.
  return lab::NearRequest{*cutoff, skin.value_or(0.12 * *cutoff), density.value_or(0.8442),
                          box != "open"};
}

} // namespace ridge::app
