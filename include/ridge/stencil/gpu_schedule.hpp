// The schedule of a stencil on a GPU, emulated or not.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/text.hpp>
#include <ridge/device/block_shape.hpp>
#include <ridge/stencil/schedule_fields.hpp>

namespace ridge::stencil {

/// Which axis the blocks of a launch walk fastest, which next, which last.
enum class Order { xyz, xzy, yxz, yzx, zxy, zyx };
constexpr auto enum_names(Order) {
  return std::array<std::string_view, 6>{"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
}

/// Where a lane finds its neighbours: in memory (through the caches), or in a ring of planes in
/// shared memory that one warp of the block fills by bulk copies while the block marches in z.
enum class Stage { none, bulk };
constexpr auto enum_names(Stage) {
  return std::array<std::string_view, 2>{"none", "bulk"};
}

/// A block shape a march is compiled for and the rows a thread computes, as one number, which every
/// compiler takes as a template argument.
constexpr int march_shape(int threads_x, int threads_y, int tile) {
  return (threads_x * 100 + threads_y) * 100 + tile;
}
constexpr int march_threads_x(int shape) {
  return shape / 10000;
}
constexpr int march_threads_y(int shape) {
  return shape / 100 % 100;
}
constexpr int march_tile(int shape) {
  return shape % 100;
}

/// The marches kernels with the whole space are compiled for, and those of all others.
using AllMarches = Choices<march_shape(128, 2, 4), march_shape(128, 2, 2), march_shape(128, 4, 2),
                           march_shape(128, 4, 4), march_shape(32, 8, 2), march_shape(32, 8, 1)>;
using FewMarches = Choices<march_shape(128, 2, 4), march_shape(32, 8, 2)>;

/// "block=128x2x1 tile=4, ...".
template <auto... Shapes>
std::string march_list(Choices<Shapes...>) {
  std::string list;
  ((list += (list.empty() ? "block=" : ", block=") + std::to_string(march_threads_x(Shapes)) + "x" +
            std::to_string(march_threads_y(Shapes)) +
            "x1 tile=" + std::to_string(march_tile(Shapes))),
   ...);
  return list;
}

/// Which tiles points kernels are compiled for: those with the whole space, flat ones (is_flat) and
/// all others. Flat ones cannot march, and only tiles keep much memory under way for them.
using AllTiles = Choices<1, 2, 4, 8, 16>;
using FlatTiles = Choices<1, 4>;
using FewTiles = Choices<1>;

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
    return std::tuple{
        text::field("block", &GpuSchedule::block,
                    text::open(BlockShape{{256, 1, 1}}, BlockShape{{128, 1, 8}},
                               BlockShape{{32, 8, 1}}, BlockShape{{128, 2, 1}},
                               BlockShape{{128, 4, 1}}),
                    "threads of a block along x, y and z; stage=bulk adds a warp that fetches"),
        text::field("tile", &GpuSchedule::tile, text::one_of(1, 2, 4, 8, 16),
                    "points a thread computes, in y"),
        text::field("loads", &GpuSchedule::loads, text::one_of(Loads::stencil, Loads::ascending),
                    "neighbours loaded as the kernel asks, or by ascending address"),
        text::field("bounds", &GpuSchedule::bounds, text::one_of(1024, 256),
                    "most threads a block may have, told to the compiler"),
        text::field("store", &GpuSchedule::store, text::one_of(Store::plain, Store::nontemporal),
                    "through the caches, or past them"),
        text::field(
            "grid", &GpuSchedule::grid,
            text::one_of(Order::xyz, Order::xzy, Order::yxz, Order::yzx, Order::zxy, Order::zyx),
            "order in which blocks walk the axes, fastest first"),
        text::field("split", &GpuSchedule::split, text::in_range(1, 1024, 1, 4),
                    "sub-domains in y, one launch after the other"),
        text::field("stage", &GpuSchedule::stage, text::one_of(Stage::none, Stage::bulk),
                    "neighbours from memory, or from planes in shared memory, marching in z"),
        text::field("ring", &GpuSchedule::ring, text::in_range(2, 16, 5, 8),
                    "stage=bulk: planes in shared memory"),
        text::field("chunks", &GpuSchedule::chunks, text::in_range(1, 1024, 1, 2),
                    "stage=bulk: parts of the z axis that march apart"),
        text::field("drift", &GpuSchedule::drift, text::in_range(0, 64, 0, 2),
                    "stage=bulk: most steps that blocks may be apart; 0: any"),
        text::field("pace", &GpuSchedule::pace, text::in_range(1, 64, 2),
                    "stage=bulk: planes of a step")};
  }

  static std::string problem(const GpuSchedule& s) {
    if (s.stage == Stage::bulk) return march_problem(s);
    if (s.block.count() > s.bounds) {
      return "a block of " + std::to_string(s.block.count()) +
             " threads exceeds bounds=" + std::to_string(s.bounds);
    }
    const GpuSchedule plain;
    if (s.ring != plain.ring || s.chunks != plain.chunks || s.drift != plain.drift ||
        s.pace != plain.pace) {
      return "ring, chunks, drift and pace are for stage=bulk";
    }
    return {};
  }

private:
  static std::string march_problem(const GpuSchedule& s) {
    const GpuSchedule plain;
    if (s.loads != plain.loads || s.bounds != plain.bounds || s.grid != plain.grid ||
        s.split != plain.split) {
      return "stage=bulk goes with loads=stencil bounds=1024 grid=xyz split=1";
    }
    const int asked = march_shape(s.block.x, s.block.y, s.tile);
    if (s.block.z != 1 || !choose(asked, AllMarches{}, [](auto) {})) {
      return "stage=bulk is compiled for " + march_list(AllMarches{});
    }
    return {};
  }
};

} // namespace ridge::stencil
