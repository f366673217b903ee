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

struct GpuSchedule {
  BlockShape block{{256, 1, 1}};
  int tile = 1;
  Loads loads = Loads::stencil;
  int bounds = 1024;
  Store store = Store::plain;
  Order grid = Order::xyz;
  int split = 1;

  friend bool operator==(const GpuSchedule&, const GpuSchedule&) = default;

  static constexpr auto fields() {
    return std::tuple{
        text::field(
            "block", &GpuSchedule::block,
            text::open(BlockShape{{256, 1, 1}}, BlockShape{{128, 1, 8}}, BlockShape{{32, 8, 1}}),
            "threads of a block along x, y and z"),
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
                    "sub-domains in y, one launch after the other")};
  }

  static std::string problem(const GpuSchedule& s) {
    if (s.block.count() > s.bounds) {
      return "a block of " + std::to_string(s.block.count()) +
             " threads exceeds bounds=" + std::to_string(s.bounds);
    }
    return {};
  }
};

} // namespace ridge::stencil
