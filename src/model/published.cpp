#include <ridge/model/published.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

constexpr Index3 cube512{512, 512, 512};
constexpr Index3 cube1024{1024, 1024, 1024};
constexpr std::array<int, 3> y_first{1, 2, 0}; // kernel 6 walks y, then z, then x

/// A case whose name says kernel and tile.
PublishedCase kernel(int number, int tile, int registers, double efficiency, double hit_rate) {
  PublishedCase c;
  c.name = "kernel " + std::to_string(number);
  if (number > 1) c.name += ", m = " + std::to_string(tile);
  c.extents = cube512;
  c.tile = tile;
  c.waits = number >= 3;
  c.bounds = number >= 4 ? 256 : 1024;
  c.nontemporal = number >= 5;
  c.registers = registers;
  c.efficiency = efficiency;
  c.hit_rate = hit_rate;
  return c;
}

/// Kernel 5 at 1024^3, to be changed; there the model must be as good as exact.
PublishedCase at1024(const char* name, double efficiency, double hit_rate, double within) {
  PublishedCase c = kernel(5, 8, 94, efficiency, hit_rate);
  c.name = name;
  c.extents = cube1024;
  c.within = within;
  return c;
}

} // namespace

// AMD lab notes, "Finite difference method - Laplacian", parts 1 (table of rocprof metrics), 2, 3
// (tables of FETCH_SIZE and L2CacheHit, and of registers) and 4 (last table).
const std::vector<PublishedCase>& published_cases() {
  static const std::vector<PublishedCase> all = [] {
    std::vector<PublishedCase> cases{
        kernel(1, 1, 24, 53.3, 65.0), kernel(2, 1, 18, 53.3, 65.0),  kernel(2, 2, 28, 58.1, 60.5),
        kernel(2, 4, 54, 57.1, 57.0), kernel(2, 8, 90, 59.0, 56.0),  kernel(3, 1, 18, 79.7, 72.0),
        kernel(3, 2, 28, 92.1, 70.6), kernel(3, 4, 54, 97.0, 68.8),  kernel(3, 8, 90, 99.4, 67.7),
        kernel(4, 1, 18, 79.8, 72.0), kernel(4, 2, 28, 92.1, 70.6),  kernel(4, 4, 54, 97.0, 68.8),
        kernel(4, 8, 94, 99.4, 67.3), kernel(4, 16, 170, 98.2, 66.1)};
    PublishedCase streaming = kernel(1, 1, 24, 75.2, 71.4);
    streaming.name += ", nontemporal";
    streaming.nontemporal = true;
    cases.push_back(streaming);
    cases.push_back(kernel(5, 8, 94, 100, 67.4));
    cases.back().within = 0.5;
    cases.push_back(at1024("kernel 5 at 1024^3", 33.1, 34.4, 1));
    cases.push_back(at1024("kernel 5 in blocks of 128x1x8", 79.8, 60.6, 1));
    cases.back().threads = {128, 1, 8};
    cases.back().bounds = 1024;
    cases.back().registers = 90;
    cases.push_back(at1024("kernel 6", 95.4, 66.2, 1));
    cases.back().walk = y_first;
    cases.push_back(at1024("kernel 7", 99.6, 67.7, 0.3));
    cases.back().split = 4;
    return cases;
  }();
  return all;
}

const std::vector<PublishedCase>& spilling_cases() {
  // What the kernels would need is what launch bounds of 256 leave them.
  static const std::vector<PublishedCase> all{kernel(2, 16, 170, 19.1, 40.9),
                                              kernel(3, 16, 170, 27.4, 44.5)};
  return all;
}

StencilAccess access_of(const PublishedCase& c) {
  StencilAccess a;
  a.footprints = {{{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
  a.radius = {1, 1, 1};
  a.extents = c.extents;
  const Index3 n = c.extents;
  const Index3 inner{n.x - 2, n.y - 2, n.z - 2};
  const Index edges = 8 + 4 * (inner.x + inner.y + inner.z);
  a.work.items = inner.x * inner.y * inner.z;
  a.work.read = {(n.x * n.y * n.z - edges) * a.element_bytes};
  a.work.written = {a.work.items * a.element_bytes};
  a.work.flops = 10.0 * static_cast<double>(a.work.items);
  a.block = {c.threads.x, c.threads.y * c.tile, c.threads.z};
  a.tile = c.tile;
  a.walk = c.walk;
  a.split = c.split;
  a.keeps_stores = !c.nontemporal;
  a.waits_between_planes = c.waits;
  a.threads = static_cast<int>(c.threads.x * c.threads.y * c.threads.z);
  a.bounds = c.bounds;
  a.registers = c.registers;
  return a;
}

bool Compared::holds() const {
  return std::abs(error()) <= published->within;
}

bool Comparison::holds() const {
  return mean <= 3.5 && largest <= 11 && within_five >= 15 && mean_hit_rate <= 2.5 &&
         std::all_of(cases.begin(), cases.end(), [](const Compared& c) { return c.holds(); });
}

Comparison compare_published(const std::vector<PublishedCase>& cases, const Description& device,
                             const Assumptions& assume) {
  Comparison comparison;
  double hit_rates = 0;
  int with_hit_rate = 0;
  for (const PublishedCase& published : cases) {
    const StencilAccess access = access_of(published);
    Compared c;
    c.published = &published;
    c.traffic = traffic_of(access, device, assume);
    const double least = 100 * static_cast<double>(access.work.read.value);
    c.efficiency = least / c.traffic.fetched;
    c.efficiency_low = least / c.traffic.fetched_high;
    c.efficiency_high = least / c.traffic.fetched_low;
    c.hit_rate = 100 * c.traffic.hit_rate();
    const double error = std::abs(c.error());
    comparison.mean += error / static_cast<double>(cases.size());
    comparison.largest = std::max(comparison.largest, error);
    comparison.within_five += error <= 5 ? 1 : 0;
    if (published.hit_rate) {
      hit_rates += std::abs(c.hit_rate - *published.hit_rate);
      ++with_hit_rate;
    }
    comparison.cases.push_back(c);
  }
  comparison.mean_hit_rate = with_hit_rate > 0 ? hit_rates / with_hit_rate : 0;
  return comparison;
}

} // namespace ridge::model
