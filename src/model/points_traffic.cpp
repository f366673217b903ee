#include "points_traffic.hpp"

#include <ridge/core/units.hpp>
#include <ridge/device/kind.hpp>

#include "reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

/// Where an axis stands in the order in which blocks walk, and what it is cut into.
struct Axis {
  Index extent = 0;  ///< points of a sub-domain
  Index block = 1;   ///< points of a block
  Index radius = 0;  ///< points not written at each edge; 0 where a sub-domain ends inside
  Index results = 0; ///< points of a sub-domain that are written
  Index blocks = 1;
  int place = 0;       ///< 0: walked fastest
  double distance = 1; ///< blocks from one to the next along this axis
};

class Points {
public:
  Points(const StencilAccess& access, const Description& device, const Assumptions& assume)
      : access_(access), device_(device), assume_(assume), cache_(device.cache_bytes),
        read_room_(read_room(device, assume)), element_(access.element_bytes) {
    for (int a = 0; a < 3; ++a) {
      Axis& axis = axes_[a];
      axis.block = std::max<Index>(along(access.block, a), 1);
      axis.extent = along(access.extents, a);
      axis.results = axis.extent - 2 * along(access.radius, a);
      if (a == 1) {
        axis.extent = ceil_div(axis.extent, access.split);
        if (access.split > 1) axis.results = axis.extent;
      }
      axis.blocks = ceil_div(axis.extent, axis.block);
    }
    double blocks = 1;
    for (int place = 0; place < 3; ++place) {
      Axis& axis = axes_[access.walk[place]];
      axis.place = place;
      axis.distance = blocks;
      blocks *= static_cast<double>(axis.blocks);
    }
    resident_ = std::min(resident_blocks(access, device), blocks);
    const double results = static_cast<double>(std::max<Index>(access.work.items, 1));
    spilled_ = 4 * spilled_registers(access, device) / access.tile * results;
    stored_room_ = access.keeps_stores ? device.plain_store_room : device.nontemporal_store_room;
    stored_per_point_ = stored_room_ * element_ + 2 * spilled_ / results;
    // A cache before memory has no part in what a kernel says of its stores.
    stored_behind_ = element_ + 2 * spilled_ / results;
    // A result that is stored past the cache has a line there until memory has taken it.
    if (!access.keeps_stores) {
      const double rate = device.copy_bytes_per_second / 2;
      cache_ -= std::min(cache_ / 2, rate * device.memory_latency_cycles / device.clock_hz);
    }
    wait_ = assume.wait_share < 0 ? waits() : access.waits_between_planes ? assume.wait_share : 0;
  }

  [[nodiscard]] Traffic traffic() const {
    Traffic t;
    Extras extras;
    double least = 0;
    for (const auto& footprint : access_.footprints) {
      least += touched_bytes(access_, footprint);
      for (int a = 0; a < 3; ++a)
        count_repeats(extras, footprint, a);
      if (access_.split > 1 && assume_.halos) count_subdomains(extras, footprint);
    }
    const double scratch_gone = count_spills(extras);
    t.fetched = least + extras.bytes();
    t.written = static_cast<double>(access_.work.written.value) + scratch_gone * spilled_;
    t.requested = requested();
    extras.explain(t, least);
    return t;
  }

private:
  /// The part of a block's life between its uses of two planes. A wait for a plane that is there is
  /// as long as a hit takes. Where the resident blocks hold more of a plane than the cache, memory
  /// is what all wait for: only misses and stores take time, so that waits grow with what is lost,
  /// and what is lost shrinks with the waits (docs/model.md).
  [[nodiscard]] double waits() const {
    const double latencies = wait_share(access_, device_);
    const double held = resident_ * element_ * static_cast<double>(access_.footprints.size()) *
                        static_cast<double>(axes_[0].block * axes_[1].block);
    if (latencies <= 0 || axes_[2].block > 1 || held <= cache_) return latencies;
    double planes = 0;
    for (const auto& footprint : access_.footprints)
      planes += static_cast<double>(distances_along(footprint, 2).size());
    const double stores = static_cast<double>(access_.work.written.value) /
                          static_cast<double>(std::max<Index>(access_.work.read.value, 1));
    const auto share = [&](double lost) { return lost / ((planes - 1) * lost + 1 + stores); };
    const double lag = axes_[2].distance / resident_; // of a life, between blocks of two planes
    if (share(1) >= lag) return lag;                  // all uses of a plane come together
    double low = 0, high = 1;
    for (int step = 0; step < 30; ++step) {
      const double lost = (low + high) / 2;
      (lost_planes(share(lost)) > lost ? low : high) = lost;
    }
    return share((low + high) / 2);
  }

  /// Of the planes of the first input that other blocks use again, those that are gone.
  [[nodiscard]] double lost_planes(double wait) const {
    double lost = 0;
    for (const Reuse& r : reuses_along(axes_[2].block, distances_along(access_.footprints[0], 2)))
      lost += r.share * gone_from_all(2, r, wait).share;
    return lost;
  }

  /// What of a kind of reuse is gone from every cache, and which cache decides.
  struct Gone {
    double share = 0;
    double passed = 0; ///< bytes between two uses
    double cache = 0;  ///< of so many bytes
  };
  [[nodiscard]] Gone gone_from_all(int a, const Reuse& reuse, double wait) const {
    double skew = 1;
    if (a == 2) {
      const double gap = static_cast<double>(reuse.gap);
      skew = std::abs(gap - wait * reuse.steps * resident_ / axes_[2].distance) / gap;
    }
    return gone_from_all(skew * bytes_between(a, reuse.gap, read_room_, stored_per_point_),
                         skew * bytes_between(a, reuse.gap, 1, stored_behind_));
  }
  /// `passed` are counted by the last-level cache, `behind` by the one before memory, if there is.
  [[nodiscard]] Gone gone_from_all(double passed, double behind) const {
    const Gone first{gone(passed / cache_, ways(), assume_.hash), passed, cache_};
    if (device_.memory_cache_bytes <= 0) return first;
    const double bytes = device_.memory_cache_bytes;
    const auto lines = static_cast<int>(device_.memory_cache_ways);
    const Gone second{gone(behind / bytes, lines, assume_.hash), behind, bytes};
    return second.share < first.share ? second : first;
  }

  /// Bytes that pass between a use of a layer of axis `a` and its next, `gap` blocks later, where a
  /// byte that is read takes `read_room`, and the results of a point `stored`.
  [[nodiscard]] double bytes_between(int a, Index gap, double read_room, double stored) const {
    const Axis& axis = axes_[a];
    double bytes = stored * static_cast<double>(gap * axis.block);
    for (int other = 0; other < 3; ++other)
      if (other != a) bytes *= static_cast<double>(swept(other, axis.place));
    for (const auto& footprint : access_.footprints) {
      double read =
          static_cast<double>(layers_between(gap, axis.block, distances_along(footprint, a)));
      for (int other = 0; other < 3; ++other) {
        if (other == a) continue;
        const bool whole = axes_[other].place < axis.place;
        const Index layers = swept(other, axis.place);
        read *= static_cast<double>(whole ? layers
                                          : layers_read(layers, distances_along(footprint, other)));
      }
      bytes += read_room * element_ * read;
    }
    return bytes;
  }

  /// Points of `other` that are passed between neighbours along an axis that stands at `place`.
  [[nodiscard]] Index swept(int other, int place) const {
    return axes_[other].place < place ? axes_[other].extent
                                      : std::min(axes_[other].block, axes_[other].extent);
  }

  /// Layers of axis `a` that several blocks read.
  void count_repeats(Extras& extras, const std::vector<Index3>& footprint, int a) const {
    const auto distances = distances_along(footprint, a);
    const Axis& axis = axes_[a];
    if (distances.size() < 2 || axis.blocks < 2) return;
    double lost = 0;
    Gone most; // by what passes between two uses
    for (const Reuse& reuse : reuses_along(axis.block, distances)) {
      const Gone here = gone_from_all(a, reuse, wait_);
      lost += reuse.share * here.share;
      if (here.passed > most.passed) most = here;
    }
    const double bytes = lost * repeated_bytes(footprint, distances, a);
    extras.add(kind_of(a), bytes, told(a, lost, most));
  }

  /// Bytes that blocks along axis `a` read beside those that others read as well.
  [[nodiscard]] double repeated_bytes(const std::vector<Index3>& footprint,
                                      const std::vector<Index>& distances, int a) const {
    const Axis& axis = axes_[a];
    const double touched = touched_bytes(access_, footprint);
    if (a != 0 || !assume_.sectors)
      return touched * repeats_along(axis.results, axis.block, distances);
    // Neighbours in x read each other's points by sectors, on both sides of where they meet.
    const double sector = device_.sector_bytes;
    const auto sectors = [&](Index points) {
      return std::ceil(static_cast<double>(points) * element_ / sector) * sector;
    };
    double each = sectors(std::max<Index>(-distances.front(), 0)) +
                  sectors(std::max<Index>(distances.back(), 0));
    if (std::fmod(static_cast<double>(axis.block) * element_, sector) != 0) each += sector;
    return touched * each * static_cast<double>(axis.blocks - 1) /
           (static_cast<double>(axis.extent) * element_);
  }

  /// Rows at the edges of sub-domains, which the next launch reads again.
  void count_subdomains(Extras& extras, const std::vector<Index3>& footprint) const {
    const auto distances = distances_along(footprint, 1);
    const Index rows = layers_read(1, distances) - 1;
    const Index3 n = access_.extents;
    double read = 0;
    for (const auto& any : access_.footprints)
      read += touched_bytes(access_, any);
    const double written = static_cast<double>(access_.work.written.value);
    const double lost = gone_from_all((read_room_ * read + stored_room_ * written) / access_.split,
                                      (read + written) / access_.split)
                            .share;
    const Index edges = ceil_div(n.y, ceil_div(n.y, access_.split)) - 1;
    const double bytes = touched_bytes(access_, footprint) * static_cast<double>(rows * edges) /
                         static_cast<double>(n.y);
    extras.add(Failing::subdomain_halos, lost * bytes,
               fmt::format("{} rows at the edges of {} launches are fetched again", rows * edges,
                           access_.split));
  }

  /// Registers that went to memory and back. Returns the share that the cache did not keep.
  [[nodiscard]] double count_spills(Extras& extras) const {
    if (spilled_ <= 0) return 0;
    const double threads = static_cast<double>(access_.threads) * access_.tile;
    const double passed =
        resident_ * threads *
        ((1 + read_room_) * element_ +
         2 * spilled_ / static_cast<double>(std::max<Index>(access_.work.items, 1)));
    const double lost = gone_from_all(passed, passed).share;
    extras.add(Failing::spills, lost * spilled_,
               fmt::format("a thread needs {} registers, {:.0f} more than bounds={} leaves it",
                           access_.registers, spilled_registers(access_, device_), access_.bounds));
    return lost;
  }

  /// What the threads read and write, as the last-level cache counts it. Rows that a thread reads
  /// for several of its points count once. An L1 may serve what differs in x alone.
  [[nodiscard]] double requested() const {
    const bool joined = facts_of(device_.kind).l1_serves_rows;
    double reads = 0;
    for (const auto& footprint : access_.footprints) {
      std::vector<std::pair<Index, Index>> columns; // of distances in x and z
      for (const Index3& p : footprint)
        columns.emplace_back(joined ? 0 : p.x, p.z);
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      for (const auto& [x, z] : columns) {
        std::vector<Index3> column;
        for (const Index3& p : footprint)
          if ((joined || p.x == x) && p.z == z) column.push_back(p);
        reads += static_cast<double>(layers_read(access_.tile, distances_along(column, 1))) /
                 access_.tile;
      }
    }
    return (reads + 1) * element_ * static_cast<double>(access_.work.items) + 2 * spilled_;
  }

  [[nodiscard]] Failing kind_of(int a) const {
    if (a == 0) return Failing::columns;
    if (a == 1) return Failing::rows;
    return axes_[2].block > 1 ? Failing::slab_halos : Failing::planes;
  }

  [[nodiscard]] static std::string told(int a, double lost, const Gone& most) {
    constexpr const char* layers[] = {"column", "row", "plane"};
    return fmt::format(
        "{:.0f} % of the repeated uses of a {} by other blocks find it gone: {} pass "
        "between two uses, {:.2f} of the cache of {}",
        100 * lost, layers[a], quantity(most.passed, "B"), most.passed / most.cache,
        quantity(most.cache, "B"));
  }

  [[nodiscard]] int ways() const { return static_cast<int>(device_.cache_ways); }

  const StencilAccess& access_;
  const Description& device_;
  const Assumptions& assume_;
  double cache_;     ///< bytes that stay for reuse
  double read_room_; ///< in the cache, of a byte that is read
  double element_;
  std::array<Axis, 3> axes_;
  double resident_ = 0;
  double wait_ = 0;
  double spilled_ = 0;          ///< bytes written, and read again
  double stored_room_ = 0;      ///< in the cache, of a stored byte
  double stored_per_point_ = 0; ///< of the last-level cache
  double stored_behind_ = 0;    ///< of a cache behind it
};

} // namespace

double read_room(const Description& device, const Assumptions& assume) {
  switch (assume.copies) {
  case Copies::none:
    return 1;
  case Copies::all:
    return device.cache_parts;
  case Copies::likely:
    break;
  }
  // A block reads it between two uses, and runs in any part.
  return 1 + (device.cache_parts - 1) / device.cache_parts;
}

double touched_bytes(const StencilAccess& access, const std::vector<Index3>& footprint) {
  double points = 1;
  for (int a = 0; a < 3; ++a) {
    const Index results = along(access.extents, a) - 2 * along(access.radius, a);
    points *= static_cast<double>(layers_read(results, distances_along(footprint, a)));
  }
  return points * access.element_bytes;
}

void Extras::add(Failing failing, double bytes, const std::string& told) {
  all_ += bytes;
  if (bytes <= most_) return;
  most_ = bytes;
  failing_ = failing;
  told_ = told;
}

void Extras::explain(Traffic& traffic, double least) const {
  if (all_ < least / 100) {
    traffic.failing = Failing::none;
    traffic.cause = "none";
    return;
  }
  traffic.failing = failing_;
  traffic.cause = to_text(failing_) + ": " + told_;
}

Traffic points_traffic(const StencilAccess& access, const Description& device,
                       const Assumptions& assume) {
  return Points(access, device, assume).traffic();
}

} // namespace ridge::model
