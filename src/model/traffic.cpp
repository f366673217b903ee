// The band around the figure, and what traffic says of itself.
#include <ridge/core/units.hpp>
#include <ridge/model/traffic.hpp>

#include "points_traffic.hpp"

#include <algorithm>

namespace ridge::model {

std::string to_text(Failing failing) {
  switch (failing) {
  case Failing::planes:
    return "planes";
  case Failing::slab_halos:
    return "slab halos";
  case Failing::rows:
    return "rows";
  case Failing::columns:
    return "columns";
  case Failing::subdomain_halos:
    return "sub-domain halos";
  case Failing::tile_halos:
    return "tile halos";
  case Failing::spills:
    return "spills";
  case Failing::line_fills:
    return "line fills";
  case Failing::none:
    break;
  }
  return "none";
}

double Traffic::hit_rate() const {
  return requested > 0 ? std::clamp(1 - (fetched + written) / requested, 0.0, 1.0) : 0;
}

namespace {

Traffic traffic_under(const StencilAccess& access, const Description& device,
                      const Assumptions& assume) {
  return access.marches ? march_traffic(access, device, assume)
                        : points_traffic(access, device, assume);
}

/// What of a block's life the planes may be apart where nobody measured the latencies: the range in
/// which the published kernels are alike.
constexpr double least_wait_share = 0.20;
constexpr double most_wait_share = 0.25;

} // namespace

Traffic traffic_of(const StencilAccess& access, const Description& device,
                   const Assumptions& assume) {
  Traffic traffic = traffic_under(access, device, assume);
  traffic.fetched_low = traffic.fetched;
  traffic.fetched_high = traffic.fetched;
  const auto widen = [&](const Assumptions& other) {
    const double fetched = traffic_under(access, device, other).fetched;
    traffic.fetched_low = std::min(traffic.fetched_low, fetched);
    traffic.fetched_high = std::max(traffic.fetched_high, fetched);
  };
  std::vector<double> waits{assume.wait_share};
  if (assume.wait_share < 0 && access.waits_between_planes) {
    // The range is for three planes; more share a life.
    const double scale = wait_share(access, device) * (2 + 700.0 / 300);
    waits.push_back(least_wait_share * scale);
    waits.push_back(most_wait_share * scale);
  }
  for (const Hash hash : {Hash::random, Hash::even}) {
    for (const double wait : waits) {
      for (const Copies copies : {Copies::none, Copies::all}) {
        if (copies != Copies::none && device.cache_parts <= 1) continue;
        Assumptions other = assume;
        other.hash = hash;
        other.wait_share = wait;
        other.copies = copies;
        widen(other);
      }
    }
  }
  const double all = traffic.written + static_cast<double>(access.work.read.value);
  if (all <= device.cache_bytes) traffic.fetched_low = 0; // a launch before may have left it there
  return traffic;
}

} // namespace ridge::model
