#include <ridge/core/units.hpp>
#include <ridge/model/blocked_loops.hpp>

#include "points_traffic.hpp"
#include "reach.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::model {

namespace {

class Loops {
public:
  Loops(const BlockedLoops& loops, const Description& device, const Assumptions& assume)
      : loops_(loops), device_(device), assume_(assume) {
    const Index3 n = loops.extents;
    results_ = {n.x - 2 * loops.radius.x, n.y - 2 * loops.radius.y, n.z - 2 * loops.radius.z};
    threads_ = std::max(loops.threads, 1);
    rows_ = loops.rows > 0 ? std::min(loops.rows, results_.y) : ceil_div(results_.y, threads_);
    rows_ = std::max<Index>(rows_, 1);
    planes_ = loops.planes > 0 ? std::min(loops.planes, results_.z) : results_.z;
    planes_ = std::max<Index>(planes_, 1);
    depth_ = std::clamp<Index>(loops.depth, 1, planes_);
  }

  [[nodiscard]] Traffic traffic() const {
    Traffic t;
    if (loops_.work.items == 0) {
      t.cause = "none";
      return t;
    }
    Extras extras;
    double least = 0;
    for (const auto& footprint : loops_.footprints) {
      const double touched = touched_bytes(footprint);
      least += touched;
      count_planes(extras, footprint, touched);
      count_block_edges(extras, footprint, touched);
    }
    count_stores(extras);
    t.fetched = least + extras.bytes();
    t.written = static_cast<double>(loops_.work.written.value);
    t.requested = requested();
    extras.explain(t, least);
    return t;
  }

private:
  [[nodiscard]] double touched_bytes(const std::vector<Index3>& footprint) const {
    double points = loops_.element_bytes;
    for (int a = 0; a < 3; ++a)
      points *= static_cast<double>(layers_read(along(results_, a), distances_along(footprint, a)));
    return points;
  }

  /// Bytes of `planes` planes of one block and what is read around them.
  [[nodiscard]] double block_bytes(Index planes) const {
    const double room =
        loops_.keeps_stores ? device_.plain_store_room : device_.nontemporal_store_room;
    double points = room * static_cast<double>(planes * rows_);
    for (const auto& footprint : loops_.footprints) {
      points += static_cast<double>(layers_read(planes, distances_along(footprint, 2)) *
                                    layers_read(rows_, distances_along(footprint, 1)));
    }
    return points * static_cast<double>(loops_.extents.x) * loops_.element_bytes;
  }

  /// Probability that neither the core's L2 nor the share of the last-level cache that its thread
  /// has of it holds what came by `bytes` before.
  [[nodiscard]] double gone_after(double bytes) const {
    const int ways = static_cast<int>(device_.cache_ways);
    const double from_l2 = device_.unit_cache_bytes > 0
                               ? gone(bytes / device_.unit_cache_bytes, ways, assume_.hash)
                               : 1;
    const double from_all = device_.cache_bytes > 0
                                ? gone(bytes * threads_ / device_.cache_bytes, ways, assume_.hash)
                                : 1;
    return from_l2 * from_all;
  }

  /// Planes that the next planes read again.
  void count_planes(Extras& extras, const std::vector<Index3>& footprint, double touched) const {
    const auto distances = distances_along(footprint, 2);
    if (distances.size() < 2) return;
    const double passed = block_bytes(depth_);
    const double lost = gone_after(passed);
    extras.add(
        Failing::planes, lost * touched * repeats_along(results_.z, depth_, distances),
        fmt::format("{:.0f} % of the repeated uses of a plane's rows find them gone: {} pass "
                    "between two uses; the L2 has {}, a thread's share of the last level {}",
                    100 * lost, quantity(passed, "B"), quantity(device_.unit_cache_bytes, "B"),
                    quantity(device_.cache_bytes / threads_, "B")));
  }

  /// Rows and planes at the edges of blocks.
  void count_block_edges(Extras& extras, const std::vector<Index3>& footprint,
                         double touched) const {
    if (!assume_.halos) return;
    // Neighbours in y that run at the same time share rows while both are in the same planes.
    const Index blocks = ceil_div(ceil_div(results_.y, rows_), threads_) * threads_;
    const Index rounds = blocks / threads_;
    const double beside = std::min(1.0, gone_after(block_bytes(depth_)));
    const double apart = gone_after(block_bytes(planes_));
    const double edges = static_cast<double>(blocks - 1);
    const double lost = edges > 0 ? (beside * (edges - static_cast<double>(rounds - 1)) +
                                     apart * static_cast<double>(rounds - 1)) /
                                        edges
                                  : 0;
    const Index rows = layers_read(1, distances_along(footprint, 1)) - 1;
    extras.add(Failing::tile_halos,
               lost * touched * static_cast<double>(rows) * edges /
                   static_cast<double>(loops_.extents.y),
               fmt::format("{} rows at each edge of {} blocks of {} rows", rows, blocks, rows_));
    const Index chunks = ceil_div(results_.z, planes_);
    const Index planes = layers_read(1, distances_along(footprint, 2)) - 1;
    extras.add(
        Failing::slab_halos,
        gone_after(block_bytes(planes_) * static_cast<double>(rounds)) * touched *
            static_cast<double>(planes * (chunks - 1)) / static_cast<double>(loops_.extents.z),
        fmt::format("{} planes at each edge of {} blocks of {} planes", planes, chunks, planes_));
  }

  /// Lines of results that are read before they are written: all of them, or those that are only
  /// partly written at both ends of a row.
  void count_stores(Extras& extras) const {
    if (loops_.keeps_stores) {
      extras.add(Failing::line_fills, static_cast<double>(loops_.work.written.value),
                 "a store that is not non-temporal reads its line first");
    } else if (loops_.radius.x > 0 && assume_.sectors) {
      extras.add(Failing::line_fills,
                 2 * device_.sector_bytes * static_cast<double>(results_.y * results_.z),
                 "lines at both ends of rows are only partly written");
    }
  }

  /// Rows read and written by the threads; what differs in x alone is in the L1.
  [[nodiscard]] double requested() const {
    double rows = 1;
    for (const auto& footprint : loops_.footprints) {
      std::vector<std::pair<Index, Index>> distinct;
      for (const Index3& p : footprint)
        distinct.emplace_back(p.y, p.z);
      std::sort(distinct.begin(), distinct.end());
      rows += static_cast<double>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
    }
    return rows * static_cast<double>(loops_.work.items) * loops_.element_bytes;
  }

  const BlockedLoops& loops_;
  const Description& device_;
  const Assumptions& assume_;
  Index3 results_;
  Index threads_ = 1, rows_ = 1, planes_ = 1, depth_ = 1;
};

} // namespace

Traffic traffic_of(const BlockedLoops& loops, const Description& device,
                   const Assumptions& assume) {
  Traffic traffic = Loops(loops, device, assume).traffic();
  traffic.fetched_low = traffic.fetched;
  traffic.fetched_high = traffic.fetched;
  for (const Hash hash : {Hash::random, Hash::even}) {
    Assumptions other = assume;
    other.hash = hash;
    const double fetched = Loops(loops, device, other).traffic().fetched;
    traffic.fetched_low = std::min(traffic.fetched_low, fetched);
    traffic.fetched_high = std::max(traffic.fetched_high, fetched);
  }
  const auto all = static_cast<double>((loops.work.read + loops.work.written).value);
  if (all <= device.cache_bytes) traffic.fetched_low = 0; // a launch before may have left it there
  return traffic;
}

} // namespace ridge::model
