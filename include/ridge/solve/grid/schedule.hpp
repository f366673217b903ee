// The schedule of a cycle of multigrid.
#pragma once

#include <ridge/core/text.hpp>

#include <array>
#include <string_view>

namespace ridge::solve {

/// How a cycle goes over the levels: once down and up; twice on coarser levels; or from the
/// coarsest level to finer and finer ones, each improved by a V cycle.
enum class CycleShape { v, w, full };
constexpr auto enum_names(CycleShape) {
  return std::array<std::string_view, 3>{"v", "w", "full"};
}

struct CycleSchedule {
  CycleShape cycle = CycleShape::v;
  int level = 0;

  friend bool operator==(const CycleSchedule&, const CycleSchedule&) = default;

  static constexpr auto fields() {
    return std::tuple{
        text::field("cycle", &CycleSchedule::cycle,
                    text::one_of(CycleShape::v, CycleShape::w, CycleShape::full),
                    "v; w: twice on coarser levels; full: from the coarsest level up"),
        text::field("level", &CycleSchedule::level, text::in_range(0, 30, 0),
                    "the level that a V cycle begins on, which shows what coarser ones take")};
  }
};

} // namespace ridge::solve
