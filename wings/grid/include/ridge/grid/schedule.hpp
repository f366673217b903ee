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

/// The tile of planes that a block of a GPU marches through, where half a cycle on a level is one
/// pass (docs/design/solvers.md): a large one; a small one, two blocks of which share a
/// multiprocessor; or one whose threads have a cell of points each, for levels whose points weigh
/// alike. Automatic: of those the one that is known to be fastest.
enum class MarchTile { automatic, large, small, cells };
constexpr auto enum_names(MarchTile) {
  return std::array<std::string_view, 4>{"auto", "large", "small", "cells"};
}

/// The passes of a cycle over a GPU, of every level that has room for them; others take the
/// automatic ones. Solutions are the same up to rounding.
struct MarchSchedule {
  MarchTile down = MarchTile::automatic;
  MarchTile up = MarchTile::automatic;
  int march_from = 0; ///< points; 0: as many as suit the device

  friend bool operator==(const MarchSchedule&, const MarchSchedule&) = default;
};

struct CycleSchedule {
  CycleShape cycle = CycleShape::v;
  int level = 0;
  MarchTile down = MarchTile::automatic;
  MarchTile up = MarchTile::automatic;
  int march_from = 0;

  [[nodiscard]] constexpr MarchSchedule march() const { return {down, up, march_from}; }

  friend bool operator==(const CycleSchedule&, const CycleSchedule&) = default;

  static constexpr auto fields() {
    constexpr auto tiles =
        text::one_of(MarchTile::automatic, MarchTile::large, MarchTile::small, MarchTile::cells);
    return Fields{
        text::field("cycle", &CycleSchedule::cycle,
                    text::one_of(CycleShape::v, CycleShape::w, CycleShape::f, CycleShape::full),
                    "v; w: twice on coarser levels; f: there f, then v; full: from the coarsest "
                    "level up"),
        text::field("level", &CycleSchedule::level, text::in_range(0, 30, 0),
                    "the level that a V cycle begins on, which shows what coarser ones take"),
        text::field(
            "down", &CycleSchedule::down, tiles,
            "of a GPU: the tile of a block on the way down, on levels that have room for it"),
        text::field("up", &CycleSchedule::up, tiles, "and on the way up"),
        text::field(
            "march_from", &CycleSchedule::march_from,
            text::one_of(0, 8'000, 64'000, 512'000, 4'000'000),
            "of a GPU: points from which on half a cycle on a level is one pass; 0: as many "
            "as suit the device")};
  }
};

} // namespace ridge::solve
