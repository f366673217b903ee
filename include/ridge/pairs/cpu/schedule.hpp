// The schedule of a pair summation on the cpu.
#pragma once

#include <ridge/core/text.hpp>

namespace ridge::pairs {

/// Each thread takes targets in tiles of `tile` packs and keeps them in registers while it visits
/// a block of sources that stays in its cache.
struct CpuSchedule {
  int tile = 2;
  int sources = 1024;
  int threads = 0;

  friend bool operator==(const CpuSchedule&, const CpuSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("tile", &CpuSchedule::tile, text::in_range(1, 16, 1, 2, 4),
                    "packs of targets in registers"),
        text::field("sources", &CpuSchedule::sources, text::in_range(1, 1 << 20, 100, 1024),
                    "sources of a block"),
        text::field("threads", &CpuSchedule::threads, text::in_range(0, 4096, 0), "0: one a core")};
  }
};

} // namespace ridge::pairs
