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
  return fmt::format("{}{} packs at a time in {} of each thread's share", kind, variant.unroll,
                     variant.spread > 1 ? fmt::format("{} places", variant.spread) : "one place");
}

} // namespace

Best best_of(RoofSession& session, const Ways& ways) {
  const Way* best = nullptr;
  Seconds least{};
  for (const Way& way : ways) {
    const Seconds seconds = session.glance(way.launch);
    if (best != nullptr && seconds >= least) continue;
    best = &way;
    least = seconds;
  }
  return {session.time(best->launch), best->text};
}

Ways ways_of(const RoofSession& session, bool stores,
             const std::function<void(const RoofVariant&)>& launch) {
  const bool gpu = session.device().is_gpu();
  const std::vector<int> unrolls = gpu ? std::vector{1, 2, 4, 8} : std::vector{2, 8};
  const std::vector<int> spreads = gpu ? std::vector{0, 8, 16} : std::vector{1, 2, 4};
  Ways ways;
  for (const bool nontemporal : {false, true}) {
    if (nontemporal && !stores) continue;
    for (const int unroll : unrolls) {
      for (const int spread : spreads) {
        const RoofVariant variant{nontemporal, unroll, spread, 1};
        ways.push_back({variant, describe(variant, stores, gpu), [=] { launch(variant); }});
      }
    }
  }
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
