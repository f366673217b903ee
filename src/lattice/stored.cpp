// Grids, schedules and records of stored fields.
#include <ridge/device/kind.hpp>
#include <ridge/lattice/record.hpp>
#include <ridge/lattice/stored/call.hpp>
#include <ridge/lattice/stored/field.hpp>

#include "../core/refuse.hpp"
#include "stored_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <climits>

namespace ridge::lattice {

namespace {

/// Cuts the extents that `may` be cut into `lanes` equal boxes, the longest first. Along y, z and t
/// boxes of half lattices have even extents, so that x = 2 h + 1 in all boxes or in none. False
/// where that is not possible.
bool cut_into(SiteGrid& g, int lanes, const bool (&may)[grid_dimensions]) {
  for (int cuts = lanes; cuts > 1; cuts /= 2) {
    int best = -1;
    for (int d = grid_dimensions - 1; d >= 0; --d) {
      if (!may[d]) continue;
      const int local = g.local(d);
      const bool even_boxes = g.half == 0 || d == 0 || local % 4 == 0;
      if (local % 2 == 0 && even_boxes && (best < 0 || local > g.local(best))) best = d;
    }
    if (best < 0) return false;
    g.boxes[best] *= 2;
  }
  return true;
}

} // namespace

SiteGrid site_grid(const Device& device, const Extents& extents, Sites sites, int real_bytes,
                   int inner) {
  return detail::placed_sites(device, detail::stored_sites(extents, sites, inner), real_bytes,
                              {true, true, true, true});
}

namespace detail {

void check_stored_extents(const Extents& extents, bool halves) {
  if (extents.rank() != grid_dimensions) {
    throw UsageError(fmt::format("lattice gauge operators are of four dimensions, such as "
                                 "16x16x16x32; {} has {}",
                                 to_text(extents), extents.rank()));
  }
  for (int d = 0; d < grid_dimensions && halves; ++d) {
    if (extents[d] % 2 == 0) continue;
    throw UsageError(fmt::format("sites are even and odd only where all extents are even; {} has "
                                 "{} along {}",
                                 to_text(extents), extents[d], "xyzt"[d]));
  }
}

SiteGrid stored_sites(const Extents& extents, Sites sites, int inner) {
  check_stored_extents(extents, false);
  refuse_if(inner < 1 || inner > 128,
            "a site has 1 to 128 values along the fifth dimension or of right-hand sides; {} were "
            "asked for",
            inner);
  check_stored_extents(extents, sites != Sites::all);
  SiteGrid g;
  g.inner = inner;
  g.half = sites == Sites::all ? 0 : 1;
  g.parity = sites == Sites::odd ? 1 : 0;
  for (int d = 0; d < grid_dimensions; ++d)
    g.extent[d] = static_cast<int>(extents[d]);
  if (g.half != 0) g.extent[0] /= 2;
  return g;
}

SiteGrid placed_sites(const Device& device, SiteGrid g, int real_bytes,
                      const bool (&cut)[grid_dimensions]) {
  refuse_if(g.sites() > INT_MAX, "{}x{}x{}x{} has more than 2^31 - 1 sites", g.extent[0],
            g.extent[1], g.extent[2], g.extent[3]);
  if (facts_of(device).takes_gpu_schedules) {
    g.lanes = g.inner > 1 ? g.inner : gpu_lanes;
    return g;
  }
  g.chunk = 0;
  const int lanes = 64 / real_bytes;
  g.lanes = g.inner > 1 ? (g.inner + lanes - 1) / lanes * lanes : lanes;
  if (g.inner == 1) {
    SiteGrid boxed = g;
    if (cut_into(boxed, lanes, cut)) return boxed;
  }
  return g;
}

StoredGroups stored_groups(const SiteGrid& g, bool inner) {
  if (g.inner > 1 && inner) return {g.lanes, g.sites()};
  if (g.inner > 1 && g.chunk == 0) return {1, g.sites()};
  const int lanes = g.inner > 1 ? gpu_lanes : g.lanes;
  return {lanes, ceil_div(g.sites(), Index{lanes})};
}

StoredCoordinates stored_coordinates(const SiteGrid& g, Index i) {
  StoredCoordinates c{};
  for (int d = 0; d < grid_dimensions; ++d) {
    c.stored[d] = static_cast<int>(i % g.extent[d]);
    c.whole[d] = c.stored[d];
    i /= g.extent[d];
  }
  if (g.half != 0) c.whole[0] = 2 * c.stored[0] + g.odd(c.stored);
  return c;
}

void check_stored(const std::vector<launch::Operand>& operands) {
  launch::check_operands(operands, [&](std::size_t i) {
    return operands[i].written ? std::string("the result") : fmt::format("field {}", i);
  });
}

std::string definition(const StoredVariant& v) {
  return fmt::format("#define RIDGE_LATTICE_STORED {}, {}, {}, Reads::{}, Results::{}\n", v.bounds,
                     v.resident, v.inner, text::value_to_text(v.links),
                     text::value_to_text(v.store));
}

Record stored_record(const Device& device, const SiteGrid& g, const StoredSchedule& schedule,
                     std::string_view kernel, const StoredTraits& traits, const StoredWork& work,
                     double flops, const std::string& site) {
  std::array<Index, 4> size{};
  for (std::size_t d = 0; d < 4; ++d)
    size[d] = g.extent[d];
  if (g.half != 0) size[0] *= 2;
  Record record;
  record.pattern = "lattice";
  record.kernel = kernel;
  record.site = site;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = traits.fixed ? "fixed16" : traits.real_bytes == 4 ? "fp32" : "fp64";
  record.size = Extents(size.data(), 4);
  record.schedule = to_text(schedule);
  const Index values = g.sites() * g.inner;
  record.work.read = {work.read};
  record.work.written = {work.written};
  record.work.items = values;
  record.work.flops = flops * static_cast<double>(values);
  record.work.convention =
      fmt::format("bytes: each link and each {} that is needed read once, {} B a result, the "
                  "result written once, {} B; flops: {} a result, {}",
                  work.value, work.read / values, work.written / values, flops, work.counted);
  record.in_cache = work.read + work.written <= device.facts().last_level_cache.value;
  return record;
}

Tiles tiles_of(const StoredGpuSchedule& s, const SiteGrid& g) {
  Tiles tiles;
  tiles.threads = g.inner;
  tiles.blocks = 1;
  for (std::size_t d = 0; d < 4; ++d) {
    const auto tile = static_cast<unsigned>(s.tile.n[d]);
    tiles.threads *= s.tile.n[d];
    tiles.order.shift[d] = static_cast<unsigned>(std::countr_zero(tile));
    const auto count = static_cast<unsigned>(ceil_div(Index{g.extent[d]}, Index{tile}));
    const unsigned asked = static_cast<unsigned>(s.slab.n[d]) / tile;
    const unsigned slab = s.slab.n[d] == 0 ? count : std::clamp(asked, 1U, count);
    const auto slabs = static_cast<unsigned>(ceil_div(Index{count}, Index{slab}));
    tiles.order.slab[d] = Divider(slab);
    if (d < 3) tiles.order.slabs[d] = Divider(slabs);
    tiles.blocks *= Index{slab} * slabs;
  }
  if (tiles.threads > s.bounds) {
    throw UsageError(fmt::format("tile={} of {} values a site are {} threads; bounds={} is the "
                                 "most of a block",
                                 to_text(s.tile), g.inner, tiles.threads, s.bounds));
  }
  if (tiles.blocks > INT_MAX / 4)
    throw UsageError(fmt::format("tile={} makes too many blocks", to_text(s.tile)));
  return tiles;
}

} // namespace detail

std::string to_text(const Extents4& e) {
  return fmt::format("{}x{}x{}x{}", e.n[0], e.n[1], e.n[2], e.n[3]);
}
bool from_text(std::string_view text, Extents4& e) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int d = 0; d < grid_dimensions; ++d) {
    if (d > 0 && (at == end || *at++ != 'x')) return false;
    const auto [next, status] = std::from_chars(at, end, e.n[d]);
    if (status != std::errc{}) return false;
    at = next;
  }
  return at == end;
}

std::string StoredGpuSchedule::problem(const StoredGpuSchedule& s) {
  for (const int n : s.tile.n) {
    if (!std::has_single_bit(static_cast<unsigned>(n))) return "a tile has powers of two of sites";
  }
  if (s.bounds == 512 && s.resident > 2) return "two blocks of 512 threads are the most of a unit";
  return {};
}

std::string to_text(const StoredSchedule& schedule) {
  return text::print_held(schedule);
}

namespace {

/// The tile of at most `sites` sites: up to `along_x` along x, then as even as it can be.
Extents4 tile_for(const SiteGrid& g, int sites, int along_x) {
  Extents4 tile;
  const auto grows = [&](int d) { return tile.n[d] * 2 <= g.extent[d]; };
  int n = 1;
  while (n * 2 <= sites && tile.n[0] < along_x && grows(0)) {
    tile.n[0] *= 2;
    n *= 2;
  }
  for (bool any = true; any && n * 2 <= sites;) {
    any = false;
    for (int d = 1; d < grid_dimensions && n * 2 <= sites; ++d) {
      if (!grows(d)) continue;
      tile.n[d] *= 2;
      n *= 2;
      any = true;
    }
    if (!any && grows(0)) {
      tile.n[0] *= 2;
      n *= 2;
      any = true;
    }
  }
  return tile;
}

/// `emulated`: hints change nothing there.
StoredGpuSchedule gpu_default(const SiteGrid& g, const StoredTraits& k, bool emulated) {
  const StoredVariant v = stored_variant_of(k, g.inner, g.half != 0 && !emulated);
  StoredGpuSchedule s;
  s.bounds = v.bounds;
  s.resident = v.resident;
  s.links = v.links;
  s.store = v.store;
  if (g.inner > 1) {
    s.tile = tile_for(g, std::max(1, s.bounds / g.inner), 2);
    s.slab = {{0, 8, 8, 0}};
  } else {
    s.tile = tile_for(g, 128, g.half != 0 ? 16 : 32);
    // Of whole lattices in double precision the caches hold too little of a slice of t.
    if (g.half == 0 && k.real_bytes == 8) s.slab = {{0, 0, 8, 0}};
  }
  return s;
}

} // namespace

StoredSchedule stored_default(const Device& device, const SiteGrid& grid, const StoredTraits& k) {
  if (!facts_of(device).takes_gpu_schedules) return StoredCpuSchedule{};
  return gpu_default(grid, k, facts_of(device).is_emulated);
}

std::vector<text::Named<StoredSchedule>> stored_names(const Device& device, const SiteGrid& grid,
                                                      const StoredTraits& k) {
  if (!facts_of(device).takes_gpu_schedules) {
    return {{"plain", StoredCpuSchedule{}},
            {"streaming", StoredCpuSchedule{0, Results::streaming}}};
  }
  const bool emulated = facts_of(device).is_emulated;
  std::vector<text::Named<StoredSchedule>> named;
  for (const int width : {2, 4, 8, 16, 32}) {
    StoredGpuSchedule s = gpu_default(grid, k, emulated);
    s.tile = tile_for(grid, std::max(1, width * 8 / grid.inner), grid.inner > 1 ? 2 : 16);
    s.slab = {{0, 0, 0, 0}};
    named.push_back({fmt::format("width{}", width), s});
  }
  StoredGpuSchedule slabs = gpu_default(grid, k, emulated);
  slabs.slab = grid.inner > 1 ? Extents4{{0, 8, 8, 0}} : Extents4{{0, 0, 8, 0}};
  named.push_back({"slabs", slabs});
  return named;
}

std::vector<StoredSchedule> stored_space(const Device& device, const SiteGrid& grid) {
  if (!facts_of(device).takes_gpu_schedules) {
    return text::space_of<StoredSchedule, StoredCpuSchedule>([](const auto&) { return true; });
  }
  return text::space_of<StoredSchedule, StoredGpuSchedule>([&](const StoredGpuSchedule& s) {
    int threads = grid.inner;
    for (int d = 0; d < grid_dimensions; ++d) {
      threads *= s.tile.n[d];
      if (s.tile.n[d] > grid.extent[d]) return false;
      if (s.slab.n[d] != 0 && s.slab.n[d] >= grid.extent[d]) return false; // the same as 0
    }
    return threads <= s.bounds && threads >= 32;
  });
}

} // namespace ridge::lattice
