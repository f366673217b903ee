// Schedules of loops over stored sites.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/device.hpp>
#include <ridge/lattice/stored/grid.hpp>
#include <ridge/lattice/stored/variant.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::lattice {

/// Four extents: "8x4x2x2".
struct Extents4 {
  int n[grid_dimensions] = {1, 1, 1, 1};
  static constexpr const char* form = "four extents";
  [[nodiscard]] constexpr bool possible() const {
    bool all = true;
    for (const int x : n)
      all = all && x >= 0 && x <= 1024;
    return all;
  }
  friend constexpr bool operator==(const Extents4&, const Extents4&) = default;
};
[[nodiscard]] std::string to_text(const Extents4& extents);
[[nodiscard]] bool from_text(std::string_view text, Extents4& extents);

struct StoredGpuSchedule {
  Extents4 tile{{8, 4, 2, 2}};
  Extents4 slab{{0, 0, 0, 0}};
  int bounds = 256;
  int resident = 1;
  Reads links = Reads::cached;
  Results store = Results::plain;

  friend bool operator==(const StoredGpuSchedule&, const StoredGpuSchedule&) = default;

  static constexpr auto fields() {
    using S = StoredGpuSchedule;
    return Fields{
        text::field("tile", &S::tile,
                    text::open(Extents4{{8, 4, 2, 2}}, Extents4{{16, 2, 2, 2}},
                               Extents4{{16, 8, 1, 1}}, Extents4{{2, 2, 2, 2}}),
                    "stored sites of a block, powers of two; a half lattice stores half along x"),
        text::field(
            "slab", &S::slab,
            text::open(Extents4{{0, 0, 0, 0}}, Extents4{{0, 0, 8, 0}}, Extents4{{0, 8, 8, 0}}),
            "sites that are done before the next ones; 0: the whole extent"),
        text::field("bounds", &S::bounds, text::one_of(128, 256, 512),
                    "most threads of a block, told to the compiler"),
        text::field("resident", &S::resident, text::one_of(1, 2, 3, 4),
                    "such blocks that a unit has registers for: 256 threads once get 255 "
                    "registers each, twice 128, three times 80"),
        text::field("links", &S::links, text::one_of(Reads::cached, Reads::once),
                    "links go through the L1 cache, or past it"),
        text::field("store", &S::store, text::one_of(Results::plain, Results::streaming),
                    "results as others, or as what is not read again soon")};
  }
  /// Why it is not possible.
  static std::string problem(const StoredGpuSchedule& s);
};

struct StoredCpuSchedule {
  int threads = 0;
  Results store = Results::plain;

  friend bool operator==(const StoredCpuSchedule&, const StoredCpuSchedule&) = default;
  static constexpr auto fields() {
    using S = StoredCpuSchedule;
    return Fields{text::field("threads", &S::threads, text::in_range(0, 4096, 0), "0: one a core"),
                  text::field("store", &S::store, text::one_of(Results::plain, Results::streaming),
                              "through the caches, or past them")};
  }
};

using StoredSchedule = std::variant<StoredCpuSchedule, StoredGpuSchedule>;
[[nodiscard]] std::string to_text(const StoredSchedule& schedule);

/// Facts of a kernel for schedules: bytes of its real numbers, and whether 16 bits hold them.
struct StoredTraits {
  int real_bytes = 8;
  bool fixed = false;
  friend constexpr bool operator==(const StoredTraits&, const StoredTraits&) = default;
};

/// The variant that GPUs take for `inner` values a site. `single`: each link is read by one
/// site, as of half lattices in four dimensions, so that the caches are better kept for spinors; of
/// 16 bits the caches hold both.
[[nodiscard]] constexpr StoredVariant stored_variant_of(const StoredTraits& k, int inner,
                                                        bool single) {
  StoredVariant v;
  v.inner = inner;
  // Blocks are whole sites: of 12 values two blocks would leave a quarter of the threads away.
  if (k.real_bytes == 4) v.resident = k.fixed || v.bounds % inner != 0 ? 3 : 2;
  if (single && inner == 1 && !k.fixed) {
    v.links = Reads::once;
    v.store = Results::streaming;
  }
  return v;
}

/// The schedule chosen without measuring, as drafts on an H200 had it best
/// (docs/design/lattices.md).
[[nodiscard]] StoredSchedule stored_default(const Device& device, const SiteGrid& grid,
                                            const StoredTraits& traits);
/// On GPUs the launch widths of Grid's guide, `width2` to `width32`, times 8 threads, and `slabs`;
/// on the cpu `plain` and `streaming`.
[[nodiscard]] std::vector<text::Named<StoredSchedule>>
stored_names(const Device& device, const SiteGrid& grid, const StoredTraits& traits);
/// Every combination of enumerated values that fits the grid.
[[nodiscard]] std::vector<StoredSchedule> stored_space(const Device& device, const SiteGrid& grid);

} // namespace ridge::lattice
