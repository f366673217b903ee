// The schedule of a stencil on the cpu.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/stencil/schedule_fields.hpp>

namespace ridge::stencil {

/// Blocks of `rows` x `planes` whole x-rows; within one the planes follow each other, so that the
/// rows of the planes around stay in the cache. The row that comes into use next is prefetched.
struct CpuSchedule {
  static constexpr int pair = 2; ///< planes computed together straight from the fields
  static constexpr int deep = 4; ///< planes computed together from windows of their rows

  int rows = 0;
  int planes = 0;
  int ahead = 2;
  int streams = 1;
  int depth = 1;
  Store store = Store::nontemporal;
  int threads = 0;

  friend bool operator==(const CpuSchedule&, const CpuSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("rows", &CpuSchedule::rows, text::in_range(0, 1 << 30, 0, 16, 64, 256),
                    "block size in y; 0: an equal part of the field for each thread"),
        text::field("planes", &CpuSchedule::planes, text::in_range(0, 1 << 30, 0, 32),
                    "block size in z; 0: the whole field"),
        text::field("ahead", &CpuSchedule::ahead, text::in_range(0, 1 << 20, 0, 2),
                    "rows by which the leading row is prefetched, once more at twice as many; 0: "
                    "not at all"),
        text::field("streams", &CpuSchedule::streams, text::one_of(1, 4),
                    "leading rows that are prefetched together, a line of each in turn"),
        text::field("depth", &CpuSchedule::depth, text::one_of(1, pair, deep),
                    "planes computed together: 2 straight from the fields, 4 from windows of "
                    "their rows in the L1"),
        text::field("store", &CpuSchedule::store, text::one_of(Store::plain, Store::nontemporal),
                    "through the caches, or past them"),
        text::field("threads", &CpuSchedule::threads, text::in_range(0, 4096, 0), "0: one a core")};
  }
};

} // namespace ridge::stencil
