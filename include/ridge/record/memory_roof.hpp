// Memory ceilings at hand: as CopyRoof, for any mix of reads and writes.
#pragma once

#include <ridge/device/memory.hpp>
#include <ridge/record/copy_roof.hpp>

namespace ridge {

/// Reads one or two blocks of memory and writes none or one, in the fastest way found at the start.
class MemoryRoof {
public:
  enum class Kind { read, copy, triad };
  /// `to` is overwritten unless the kind is read; `a` and `b` are read (b for triad). All are
  /// aligned to 64 bytes and have `size` bytes.
  MemoryRoof(Queue& queue, Kind kind, Bytes size, void* to, const void* a, const void* b);
  /// "read", "copy" or "triad", as ceilings of `measure_roof` are called.
  [[nodiscard]] const char* name() const;
  /// Bytes read and written a second, the median of three passes now.
  [[nodiscard]] double rate();

private:
  void launch(const RoofVariant& way);
  [[nodiscard]] double seconds_of(const RoofVariant& way, int repeats);
  Queue& queue_;
  Kind kind_;
  Span<double> to_;
  Span<const double> a_, b_;
  Memory sums_;
  RoofVariant best_;
};

/// As measure_beside of a CopyRoof.
[[nodiscard]] Beside measure_beside(MemoryRoof& roof, const std::function<Timing()>& time);

} // namespace ridge
