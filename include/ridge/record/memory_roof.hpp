// The ceilings of memory at hand.
//
// On shared hosts the speed of memory can change by a factor of two from one minute to the next. A
// fraction is only worth something against a ceiling measured beside it, on the same memory.
#pragma once

#include <ridge/device/memory.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/record/measure.hpp>
#include <ridge/record/record.hpp>
#include <ridge/record/roof_kernels.hpp>

#include <functional>
#include <optional>
#include <vector>

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
  /// Gives one pass to the queue.
  void launch() { launch(best_); }
  /// Bytes that a pass reads and writes.
  [[nodiscard]] double bytes() const;

private:
  /// A kernel, or the runtime's own copy, which only GPUs have.
  using Way = std::optional<RoofVariant>;
  [[nodiscard]] std::vector<Way> ways() const;
  void launch(const Way& way);
  [[nodiscard]] double seconds_of(const Way& way, int repeats);
  Queue& queue_;
  Kind kind_;
  Span<double> to_;
  Span<const double> a_, b_;
  Memory sums_;
  Way best_;
};

/// A timing and the ceiling in turn with it.
struct Beside {
  Timing timing;
  double roof = 0; ///< the ceiling of which the median pair reached its part
  /// By how much the part of the roof may differ from that of the median pair, as factors; both 0
  /// where that is not known.
  double low = 0, high = 0;
};

/// Times `launch` and passes over the memory in turn.
[[nodiscard]] Beside measure_beside(Queue& queue, const std::function<void()>& launch,
                                    MemoryRoof& roof, const MeasureOptions& options);

} // namespace ridge
