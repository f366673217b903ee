// The ceilings of memory at hand.
//
// On shared hosts the speed of memory can change by a factor of two from one minute to the next. A
// fraction is only worth something against a ceiling measured beside it, on the same memory.
#pragma once

#include <ridge/device/memory.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>
#include <ridge/record/roof_kernels.hpp>

#include <functional>

namespace ridge {

/// Reads one or two blocks of memory and writes none or one, in the fastest way found at the start.
class MemoryRoof {
public:
  enum class Kind { read, copy, triad };
  /// `to` is overwritten unless the kind is read; `a` and `b` are read (b for triad, and null
  /// otherwise). All are aligned to 64 bytes and have `size` bytes.
  MemoryRoof(Queue& queue, Kind kind, Bytes size, void* to, const void* a, const void* b = nullptr);
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

/// A timing and the ceiling beside it.
struct Beside {
  Timing timing;
  double roof = 0; ///< mean of the ceiling before and after
};

/// Measures the ceiling, `time()`, and the ceiling again; up to four times, until the ceilings
/// before and after differ by less than a tenth.
[[nodiscard]] Beside measure_beside(MemoryRoof& roof, const std::function<Timing()>& time);

} // namespace ridge
