// The menu of a launch on stored fields.
#include <ridge/core/error.hpp>
#include <ridge/lattice/stored/call.hpp>
#include <ridge/lattice/stored/menu.hpp>
#include <ridge/model/layout.hpp>
#include <ridge/pattern/menu_of.hpp>

#include <algorithm>

namespace ridge::lattice {

namespace {

using model::Facts;

/// Registers of a thread beside its numbers: addresses, coordinates, factors.
constexpr int registers_beside = 40;
/// Of what is written and read again, the rest stays in the caches: on an H200 Wilson in fp64
/// takes 1.16 times as long with 128 registers, domain walls in fp32 1.27 times with 64.
constexpr double spilled_share = 0.4;

class StoredMenu final : public MenuOf<StoredSchedule> {
public:
  StoredMenu(const SiteGrid& grid, const StoredTraits& traits, const StoredUse& use,
             const ridge::Place& place)
      : MenuOf(place), grid_(grid), traits_(traits), use_(use) {}

private:
  [[nodiscard]] Named read(const std::string& asked) const override {
    return text::parse_named(asked, ridge::to_text(place().device.id()),
                             stored_default(place().device, grid_, traits_),
                             [&] { return known(); });
  }
  [[nodiscard]] std::vector<Named> known() const override {
    return stored_names(place().device, grid_, traits_);
  }
  [[nodiscard]] std::vector<StoredSchedule> all() const override {
    return stored_space(place().device, grid_);
  }
  [[nodiscard]] bool is_possible(const StoredSchedule& schedule) const override {
    try {
      if (const auto* const gpu = std::get_if<StoredGpuSchedule>(&schedule))
        (void)detail::tiles_of(*gpu, grid_);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }

  [[nodiscard]] double links_bytes() const { return use_.link * (grid_.half != 0 ? 8 : 4); }
  [[nodiscard]] Facts facts_under(const StoredSchedule& schedule) const override {
    const double sites = static_cast<double>(grid_.sites());
    const double values = sites * grid_.inner;
    Work work;
    work.read = {static_cast<Index>(sites * links_bytes() + values * (use_.neighbours + use_.own))};
    work.written = {static_cast<Index>(values * use_.written)};
    work.flops = values * use_.flops;
    Facts f = begin(work);
    f.element_bytes = traits_.real_bytes;
    if (const auto* const cpu = std::get_if<StoredCpuSchedule>(&schedule)) {
      add_lost(f, Extents4{{0, 0, 0, 0}});
      if (cpu->store == Results::plain && !f.in_cache) f.partial = f.least_written;
      model::lay_threads(f, grid_.inner > 1 ? grid_.sites() : ceil_div(grid_.sites(), grid_.lanes),
                         cpu->threads, grid_.inner > 1 ? grid_.inner : grid_.lanes);
    } else {
      const auto& gpu = std::get<StoredGpuSchedule>(schedule);
      add_lost(f, gpu.slab);
      add_gpu(f, gpu, values);
    }
    return f;
  }

  /// What the last-level cache has lost before it is read again. A value is read at its neighbours
  /// ahead, beside and behind along the outermost dimension whose slices do not fit.
  void add_lost(Facts& f, const Extents4& slab) const {
    if (f.in_cache) return;
    const double sites = static_cast<double>(grid_.sites());
    const double site_bytes =
        links_bytes() + grid_.inner * (use_.neighbours + use_.own + use_.written);
    const double room = f.device.cache_bytes / std::max(1.0, f.device.cache_parts);
    const double again = grid_.inner * use_.neighbours;
    const double link = grid_.half != 0 ? 0 : use_.link; // of whole lattices the one behind, too
    double apart = 1;                                    // sites between neighbours
    for (int d = 0; d < grid_dimensions; ++d) {
      const int n = grid_.extent[d];
      const int part = slab.n[d] > 0 ? std::min(slab.n[d], n) : n;
      if (part < n) f.repeated += sites * (2 * again + link) / part; // across the slab's faces
      if (part > 1) {
        const double lost = std::clamp(apart * site_bytes / room - 0.5, 0.0, 1.0);
        f.repeated += sites * lost * (2 * again + link);
      }
      apart *= part;
    }
  }

  void add_gpu(Facts& f, const StoredGpuSchedule& s, double values) const {
    const detail::Tiles tiles = detail::tiles_of(s, grid_);
    // So many blocks at once leave each thread its share of the registers.
    const int registers = use_.numbers * std::max(traits_.real_bytes, 4) / 4 + registers_beside;
    model::lay_blocks(f, {static_cast<double>(tiles.blocks), tiles.threads, registers,
                          std::min(1024, s.bounds * s.resident)});
    f.spilled = f.in_cache ? 0 : values * f.spilled_registers * 8 * spilled_share;
    f.thread_bytes = use_.neighbours + use_.link / grid_.inner;
    // Values that a tile reads: its own places and those beyond its faces; the rest is in the L1.
    // Links of half lattices are read by one site each.
    double touched = 0;
    double links = grid_.half != 0 ? 8 : 4;
    for (int d = 0; d < grid_dimensions; ++d) {
      const double face = s.tile.n[d] < grid_.extent[d] ? 1.0 / s.tile.n[d] : 0;
      touched += 2 * face;
      if (grid_.half == 0) links += face;
    }
    f.asked = values * (use_.neighbours * std::min(8.0, 1 + touched) + use_.own + use_.written) +
              static_cast<double>(grid_.sites()) * use_.link * links;
  }

  SiteGrid grid_;
  StoredTraits traits_;
  StoredUse use_;
};

} // namespace

std::unique_ptr<Menu> stored_menu(const SiteGrid& grid, const StoredTraits& traits,
                                  const StoredUse& use, const ridge::Place& place) {
  return std::make_unique<StoredMenu>(grid, traits, use, place);
}

} // namespace ridge::lattice
