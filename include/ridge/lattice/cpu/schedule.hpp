// The schedule of a site loop or a reduction on the cpu.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/lattice/schedule_fields.hpp>

namespace ridge::lattice {

struct CpuSchedule {
  int ahead = 0;
  int streams = 1;
  Store store = Store::nontemporal;
  int threads = 0;

  friend bool operator==(const CpuSchedule&, const CpuSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("ahead", &CpuSchedule::ahead, text::in_range(0, 1 << 20, 0, 6144),
                    "bytes by which reads are prefetched; 0: not at all"),
        text::field("streams", &CpuSchedule::streams, text::one_of(1, 4, 8),
                    "pages that are prefetched together, a line of each in turn, where ahead > 0"),
        text::field("store", &CpuSchedule::store, text::one_of(Store::plain, Store::nontemporal),
                    "through the caches, or past them"),
        text::field("threads", &CpuSchedule::threads, text::in_range(0, 4096, 0), "0: one a core")};
  }
};

} // namespace ridge::lattice
