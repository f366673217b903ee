#include "roof_ways.hpp"

#include <fmt/format.h>

namespace ridge {

namespace {

std::string describe(const RoofVariant& variant, bool stores, bool gpu) {
  const char* const kind = !stores               ? ""
                           : variant.nontemporal ? "non-temporal stores, "
                                                 : "plain stores, ";
  if (gpu) {
    return fmt::format("{}{} 16-byte accesses at a time a thread, {}", kind, variant.unroll,
                       variant.spread > 0 ? fmt::format("{} blocks a unit", variant.spread)
                                          : "a block a tile");
  }
  return fmt::format(
      "{}{} packs at a time in {} of each thread's share{}", kind, variant.unroll,
      variant.spread > 1 ? fmt::format("{} places", variant.spread) : "one place",
      variant.streams > 1 ? fmt::format(", {} pages prefetched together", variant.streams) : "");
}

} // namespace

std::vector<RoofVariant> memory_variants(bool gpu, bool stores) {
  std::vector<RoofVariant> variants;
  const auto add = [&](bool nontemporal, int unroll, int spread, int streams) {
    variants.push_back({nontemporal, unroll, spread, 1, streams});
  };
  for (const bool nontemporal : {true, false}) {
    if (nontemporal && !stores) continue;
    if (gpu) {
      for (const int unroll : {1, 2, 4, 8}) {
        for (const int spread : {0, 8, 16})
          add(nontemporal, unroll, spread, 1);
      }
    } else {
      for (const int unroll : {2, 8}) {
        for (const int spread : {1, 2, 4})
          add(nontemporal, unroll, spread, 1);
        add(nontemporal, unroll, 1, 8);
      }
    }
  }
  return variants;
}

Best best_of(RoofSession& session, const Ways& ways) {
  const Way* best = nullptr;
  Seconds least{};
  for (const Way& way : ways) {
    const Seconds seconds = session.glance(way.launch, least);
    if (best != nullptr && seconds >= least) continue;
    best = &way;
    least = seconds;
  }
  return {session.time(best->launch), best->text};
}

Ways ways_of(const RoofSession& session, bool stores,
             const std::function<void(const RoofVariant&)>& launch) {
  const bool gpu = session.device().is_gpu();
  Ways ways;
  for (const RoofVariant& variant : memory_variants(gpu, stores))
    ways.push_back({variant, describe(variant, stores, gpu), [=] { launch(variant); }});
  return ways;
}

Ways cached_ways_of(const RoofSession& session, int passes,
                    const std::function<void(const RoofVariant&)>& launch) {
  const bool gpu = session.device().is_gpu();
  const std::vector<int> spreads = gpu ? std::vector{4, 8, 16} : std::vector{1};
  Ways ways;
  for (const int unroll : {2, 4, 8}) {
    for (const int spread : spreads) {
      const RoofVariant variant{false, unroll, spread, passes};
      ways.push_back({variant, describe(variant, true, gpu), [=] { launch(variant); }});
    }
  }
  return ways;
}

} // namespace ridge
