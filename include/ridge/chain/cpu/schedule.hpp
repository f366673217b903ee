// The schedule of a chain on the cpu.
#pragma once

#include <ridge/chain/fuse.hpp>
#include <ridge/core/text.hpp>

namespace ridge::chain {

/// Temporaries between operations of one group that need the item alone: in memory, or in
/// registers.
enum class Join { none, points };
constexpr auto enum_names(Join) {
  return std::array<std::string_view, 2>{"none", "points"};
}

/// How results are stored.
enum class Store { plain, nontemporal };
constexpr auto enum_names(Store) {
  return std::array<std::string_view, 2>{"plain", "nontemporal"};
}

struct CpuSchedule {
  Fuse fuse;
  TileShape tile;
  Join join = Join::points;
  Store store = Store::plain;
  int streams = 1;
  int threads = 0;

  friend bool operator==(const CpuSchedule&, const CpuSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("fuse", &CpuSchedule::fuse, text::open(fuse_all, fuse_none),
                    "operations that run over a tile together"),
        text::field("tile", &CpuSchedule::tile,
                    text::open(TileShape{}, TileShape{4096, 1, 1}, TileShape{512, 1, 1}),
                    "items of a tile along x, y and z"),
        text::field("join", &CpuSchedule::join, text::one_of(Join::none, Join::points),
                    "pass values between operations through the tile's memory, or in registers "
                    "where they need the item alone"),
        text::field("store", &CpuSchedule::store, text::one_of(Store::plain, Store::nontemporal),
                    "results through the caches, or past them"),
        text::field("streams", &CpuSchedule::streams, text::one_of(1, 4, 8),
                    "pages of each input that are prefetched together, a line of each in turn; 1: "
                    "none"),
        text::field("threads", &CpuSchedule::threads, text::in_range(0, 4096, 0),
                    "0: one a core, fewer for small ranges")};
  }
};

} // namespace ridge::chain
