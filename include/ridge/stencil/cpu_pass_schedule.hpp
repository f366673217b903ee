// The schedule of several sweeps in one pass on the cpu.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/stencil/schedule_fields.hpp>

namespace ridge::stencil {

/// Blocks of rows march through the planes (in two dimensions: one row each through the rows), all
/// sweeps at once, each a radius of planes behind the one before. Planes of the sweeps in between
/// stay in a ring of memory that the caches hold; what of them neighbouring blocks need is computed
/// twice.
struct CpuPassSchedule {
  int sweeps = 4;
  int rows = 0;
  int planes = 0;
  Store store = Store::nontemporal;
  int threads = 0;

  friend bool operator==(const CpuPassSchedule&, const CpuPassSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("sweeps", &CpuPassSchedule::sweeps, text::in_range(2, 64, 2, 3, 4, 6, 8),
                    "sweeps of one pass; what is left of the steps takes a shorter one"),
        text::field("rows", &CpuPassSchedule::rows, text::in_range(0, 1 << 30, 0, 16, 64),
                    "block size in y; 0: what the caches hold, the same for each thread"),
        text::field(
            "planes", &CpuPassSchedule::planes, text::in_range(0, 1 << 30, 0),
            "block size along the march; 0: the whole field, in two dimensions an equal part "
            "for each thread"),
        text::field("store", &CpuPassSchedule::store,
                    text::one_of(Store::plain, Store::nontemporal),
                    "results through the caches, or past them"),
        text::field("threads", &CpuPassSchedule::threads, text::in_range(0, 4096, 0),
                    "0: one a core")};
  }
};

} // namespace ridge::stencil
