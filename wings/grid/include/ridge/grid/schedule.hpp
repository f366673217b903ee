// The schedule of a cycle of multigrid.
#pragma once

#include <ridge/core/text.hpp>

#include <array>
#include <string_view>

namespace ridge::solve {

/// How a cycle goes over the levels: once down and up; twice on coarser levels; from the coarsest
/// level to finer and finer ones, each improved by a V cycle; or on coarser levels an F cycle, then
/// a V cycle.
enum class CycleShape { v, w, full, f };
constexpr auto enum_names(CycleShape) {
  return std::array<std::string_view, 4>{"v", "w", "full", "f"};
}

/// What a level does before and after the coarser ones: two sweeps of Jacobi, weighted by
/// Chebyshev's polynomial; or one over all points of a colour, then one over the others. In
/// conjugate gradients colours go the other way round after.
enum class Smoother { chebyshev, red_black };
constexpr auto enum_names(Smoother) {
  return std::array<std::string_view, 2>{"chebyshev", "red-black"};
}

struct CycleSchedule {
  CycleShape cycle = CycleShape::v;
  int level = 0;

  friend bool operator==(const CycleSchedule&, const CycleSchedule&) = default;

  static constexpr auto fields() {
    return std::tuple{
        text::field("cycle", &CycleSchedule::cycle,
                    text::one_of(CycleShape::v, CycleShape::w, CycleShape::f, CycleShape::full),
                    "v; w: twice on coarser levels; f: there f, then v; full: from the coarsest "
                    "level up"),
        text::field("level", &CycleSchedule::level, text::in_range(0, 30, 0),
                    "the level that a V cycle begins on, which shows what coarser ones take")};
  }
};

} // namespace ridge::solve
