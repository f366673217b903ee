// The schedule of a stencil on a GPU, emulated or not.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/device/block_shape.hpp>
#include <ridge/stencil/schedule_fields.hpp>

namespace ridge::stencil {

/// Which axis the blocks of a launch walk fastest, which next, which last.
enum class Order { xyz, xzy, yxz, yzx, zxy, zyx };
constexpr auto enum_names(Order) {
  return std::array<std::string_view, 6>{"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
}

/// Where a lane finds its neighbours: in memory (through the caches); in a ring of planes in shared
/// memory that one warp of the block fills by bulk copies of rows while the block marches in z;
/// while it marches, in a window of registers along z and in shared memory that all lanes fill; or
/// in a ring that one lane fills by a copy of a tile a plane, where rows begin at multiples of 16
/// bytes.
enum class Stage { none, bulk, window, tiles };
constexpr auto enum_names(Stage) {
  return std::array<std::string_view, 4>{"none", "bulk", "window", "tiles"};
}
/// Whether a warp of the block fills a ring of planes.
constexpr bool copies_in_bulk(Stage stage) {
  return stage == Stage::bulk || stage == Stage::tiles;
}

struct GpuSchedule {
  BlockShape block{{256, 1, 1}};
  int tile = 1;
  Loads loads = Loads::stencil;
  int bounds = 1024;
  Store store = Store::plain;
  Order grid = Order::xyz;
  int split = 1;
  Stage stage = Stage::none;
  int ring = 5;
  int chunks = 1;
  int drift = 2;
  int pace = 2;

  friend bool operator==(const GpuSchedule&, const GpuSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field(
            "block", &GpuSchedule::block,
            text::open(BlockShape{{256, 1, 1}}, BlockShape{{128, 1, 8}}, BlockShape{{32, 8, 1}},
                       BlockShape{{128, 2, 1}}, BlockShape{{128, 4, 1}}),
            "threads of a block along x, y and z; stage=bulk and tiles add a warp that fetches"),
        text::field("tile", &GpuSchedule::tile, text::in_range(1, 32, 1, 2, 4, 8, 16),
                    "points a thread computes, in y"),
        text::field("loads", &GpuSchedule::loads,
                    text::one_of(Loads::stencil, Loads::ascending, Loads::packs),
                    "neighbours loaded as the kernel asks, by ascending address, or so in packs of "
                    "16 bytes; stage=bulk: planes' parts added up, or rows anywhere in packs"),
        text::field("bounds", &GpuSchedule::bounds, text::in_range(32, 1024, 1024, 256),
                    "most threads a block may have, told to the compiler; a multiple of 32"),
        text::field("store", &GpuSchedule::store, text::one_of(Store::plain, Store::nontemporal),
                    "through the caches, or past them"),
        text::field(
            "grid", &GpuSchedule::grid,
            text::one_of(Order::xyz, Order::xzy, Order::yxz, Order::yzx, Order::zxy, Order::zyx),
            "order in which blocks walk the axes, fastest first"),
        text::field("split", &GpuSchedule::split, text::in_range(1, 1024, 1, 4),
                    "sub-domains in y, one launch after the other"),
        text::field("stage", &GpuSchedule::stage,
                    text::one_of(Stage::none, Stage::bulk, Stage::window, Stage::tiles),
                    "neighbours from memory; marching in z, from planes in shared memory (bulk: "
                    "copied by rows, tiles: at once), or from registers and shared memory"),
        text::field("ring", &GpuSchedule::ring, text::in_range(2, 16, 5, 8),
                    "stage=bulk and tiles: planes in shared memory"),
        text::field("chunks", &GpuSchedule::chunks, text::in_range(1, 1024, 1, 2),
                    "marching: parts of the z axis that march apart"),
        text::field("drift", &GpuSchedule::drift, text::in_range(0, 64, 0, 2),
                    "marching: most steps that blocks may be apart; 0: any"),
        text::field("pace", &GpuSchedule::pace, text::in_range(1, 64, 2),
                    "marching: planes of a step")};
  }

  static std::string problem(const GpuSchedule& s) {
    if (s.stage != Stage::none) return march_problem(s);
    if (s.bounds % 32 != 0) return "bounds is a multiple of 32";
    if (s.block.count() > s.bounds) {
      return "a block of " + std::to_string(s.block.count()) +
             " threads exceeds bounds=" + std::to_string(s.bounds);
    }
    const GpuSchedule plain;
    if (s.ring != plain.ring || s.chunks != plain.chunks || s.drift != plain.drift ||
        s.pace != plain.pace) {
      return "ring is for stage=bulk and stage=tiles; chunks, drift and pace for these and "
             "stage=window";
    }
    return {};
  }

private:
  static std::string march_problem(const GpuSchedule& s) {
    const GpuSchedule plain;
    const bool bulk = copies_in_bulk(s.stage);
    const std::string stage(enum_names(Stage{})[static_cast<std::size_t>(s.stage)]);
    // With a ring ascending loads take each plane's part of all sums, packs rows anywhere.
    if ((s.loads != plain.loads && !bulk) || s.bounds != plain.bounds || s.grid != plain.grid ||
        s.split != plain.split) {
      return "stage=" + stage + " goes with " + (bulk ? "" : "loads=stencil ") +
             "bounds=1024 grid=xyz split=1";
    }
    if (!bulk && s.ring != plain.ring) return "ring is for stage=bulk and stage=tiles";
    const int most = bulk ? 896 : 1024; // a warp only fetches
    if (s.block.z != 1 || s.block.x % 32 != 0 || s.block.count() % 64 != 0 ||
        s.block.count() > most) {
      return "stage=" + stage +
             " takes blocks of one plane and whole warps: block=XxYx1, X a multiple of 32, X times "
             "Y one of 64 and at most " +
             std::to_string(most);
    }
    return {};
  }
};

} // namespace ridge::stencil
