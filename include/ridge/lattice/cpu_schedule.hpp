// The schedule of a site loop or a reduction on the cpu.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/lattice/schedule_fields.hpp>

namespace ridge::lattice {

struct CpuSchedule {
  int places = 1;
  int ahead = 0;
  Store store = Store::nontemporal;
  int threads = 0;

  friend bool operator==(const CpuSchedule&, const CpuSchedule&) = default;

  static constexpr auto fields() {
    return std::tuple{
        text::field("places", &CpuSchedule::places, text::in_range(1, 16, 1, 2, 4),
                    "parts of its share that a thread walks in turn"),
        text::field("ahead", &CpuSchedule::ahead, text::in_range(0, 1 << 20, 0, 6144),
                    "bytes by which reads are prefetched; 0: not at all"),
        text::field("store", &CpuSchedule::store, text::one_of(Store::plain, Store::nontemporal),
                    "through the caches, or past them"),
        text::field("threads", &CpuSchedule::threads, text::in_range(0, 4096, 0), "0: one a core")};
  }
};

} // namespace ridge::lattice
