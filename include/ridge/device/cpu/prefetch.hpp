// Asking for cache lines ahead of time on the cpu.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/extents.hpp>

#include <bit>
#include <cstdint>

namespace ridge::cpu {

/// A line of the caches of x86-64 cpus and of most others.
inline constexpr int line_bytes = 64;

/// Asks for the line at an address, to read it. An object rather than a lambda, which cannot be
/// inlined by force: g++ 12 takes a function that only prefetches for one without effect and leaves
/// its calls out.
struct PrefetchIntoL1 {
  RIDGE_FN void operator()(const void* at) const { __builtin_prefetch(at, 0, 3); }
};
struct PrefetchIntoL2 {
  RIDGE_FN void operator()(const void* at) const { __builtin_prefetch(at, 0, 2); }
};

/// Which line is asked for where memory is walked in order: the one `bytes` ahead or, with several
/// streams, those of as many pages in turn while the block of pages before is walked. Memory is
/// then read from several pages at once, which is faster where a core's own prefetches stop at the
/// end of each page (docs/design/lattices.md).
class LinesAhead {
public:
  /// `bytes`: 0 for none. `streams`: 1, or a power of two up to 64, where `bytes` counts for
  /// nothing else.
  LinesAhead(Index bytes, int streams)
      : bytes_(static_cast<std::uintptr_t>(bytes)), others_(static_cast<unsigned>(streams) - 1),
        log_streams_(std::countr_zero(static_cast<unsigned>(streams))),
        last_((std::uintptr_t{1} << (log_page + log_streams_)) - 1) {}

  /// Those of several streams; none at all of one.
  [[nodiscard]] static LinesAhead by_streams(int streams) {
    return {streams > 1 ? line_bytes : 0, streams};
  }

  explicit operator bool() const { return bytes_ > 0; }

  /// Asks for what goes with the line at `at`.
  RIDGE_FN void ask(const void* at) const {
    PrefetchIntoL1{}(reinterpret_cast<const void*>(beside(reinterpret_cast<std::uintptr_t>(at))));
  }

  /// The place asked for when the line at `place` is walked.
  [[nodiscard]] RIDGE_FN std::uintptr_t beside(std::uintptr_t place) const {
    if (others_ == 0) return place + bytes_;
    const std::uintptr_t turn = (place & last_) >> log_line;
    return (place | last_) + 1 + ((turn & others_) << log_page) +
           (turn >> log_streams_ << log_line);
  }

private:
  static constexpr int log_line = std::countr_zero(unsigned{line_bytes});
  static constexpr int log_page = 12;
  std::uintptr_t bytes_;
  std::uintptr_t others_; ///< streams beside the first: 0, 1, 3, 7, ...
  int log_streams_;
  std::uintptr_t last_; ///< the last byte of a block of pages
};

} // namespace ridge::cpu
