// The copy ceiling of memory at hand.
//
// On shared hosts the speed of memory can change by a factor of two from one minute to the next. A
// fraction is only worth something against a ceiling measured beside it, on the same memory.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>
#include <ridge/record/roof_kernels.hpp>

#include <functional>

namespace ridge {

/// Copies between two blocks of memory, in the fastest way found at the start.
class CopyRoof {
public:
  /// `to` is overwritten; both are aligned to 64 bytes.
  CopyRoof(Queue& queue, void* to, const void* from, Bytes size);
  /// Bytes read and written a second, the median of three copies now.
  [[nodiscard]] double rate();

private:
  [[nodiscard]] double seconds_of(const RoofVariant& way, int repeats);
  Queue& queue_;
  Span<double> to_;
  Span<const double> from_;
  RoofVariant best_;
};

/// A timing and the copy ceiling beside it.
struct Beside {
  Timing timing;
  double roof = 0; ///< mean of the ceiling before and after
};

/// Measures the ceiling, `time()`, and the ceiling again; up to four times, until the ceilings
/// before and after differ by less than a tenth.
[[nodiscard]] Beside measure_beside(CopyRoof& roof, const std::function<Timing()>& time);

} // namespace ridge
