// Schedules of sums by a far field.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/device.hpp>

#include <string>
#include <variant>
#include <vector>

namespace ridge::pairs {

/// Neighbouring targets walk the tree together, in a pack.
struct CpuFarSchedule {
  int leaf = 0;

  friend bool operator==(const CpuFarSchedule&, const CpuFarSchedule&) = default;

  static constexpr auto fields() {
    return Fields{text::field("leaf", &CpuFarSchedule::leaf,
                              text::in_range(0, 1 << 20, 0, 32, 64, 128, 256),
                              "most bodies of a leaf; 0: half as many as a node has proxies")};
  }
};

/// A thread walks for a target.
struct GpuFarSchedule {
  int leaf = 0;

  friend bool operator==(const GpuFarSchedule&, const GpuFarSchedule&) = default;

  static constexpr auto fields() {
    return Fields{text::field("leaf", &GpuFarSchedule::leaf,
                              text::in_range(0, 1 << 20, 0, 32, 64, 128, 256),
                              "most bodies of a leaf; 0: half as many as a node has proxies")};
  }
};

using FarSchedule = std::variant<CpuFarSchedule, GpuFarSchedule>;
using NamedFarSchedule = text::Named<FarSchedule>;

[[nodiscard]] std::string to_text(const FarSchedule& schedule);
[[nodiscard]] FarSchedule default_far_schedule(const Device& device);
/// `small-leaves`: of 32 bodies.
[[nodiscard]] std::vector<NamedFarSchedule> named_far_schedules(const Device& device);
[[nodiscard]] NamedFarSchedule parse_far_schedule(std::string_view text, const Device& device);
[[nodiscard]] std::vector<FarSchedule> far_schedule_space(const Device& device);
[[nodiscard]] int leaf_of(const FarSchedule& schedule);

} // namespace ridge::pairs
