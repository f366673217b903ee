// The kernels that find the ceilings: one table of functions a device kind, so that the
// measurement is written once.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/device/queue.hpp>

namespace ridge {

/// One of the ways to walk memory. Which is fastest differs between devices: the roof is the best.
struct RoofVariant {
  bool nontemporal = false; ///< stores go past the caches
  int unroll = 4;           ///< accesses a thread starts before it needs the first: 1, 2, 4 or 8
  /// cpu: places of its share that a thread walks in turn, 1 for one after the other (0 counts as
  /// 1). GPU: blocks per unit, each of which walks many tiles; 0 for a block of its own per tile.
  int spread = 0;
  int passes = 1; ///< over the whole arrays, in one launch
  /// cpu: pages of what is read that are prefetched together, a line of each in turn; 1 for no
  /// prefetches.
  int streams = 1;
};

/// All spans are aligned to 64 bytes. Work is given to the queue; variants other than those listed
/// throw UsageError.
struct RoofKernels {
  /// to[i] = from[i]
  void (*copy)(Queue&, Span<double> to, Span<const double> from, const RoofVariant&);
  /// to[i] = value
  void (*write)(Queue&, Span<double> to, double value, const RoofVariant&);
  /// to[i] = a[i] + factor * b[i]
  void (*triad)(Queue&, Span<double> to, Span<const double> a, Span<const double> b, double factor,
                const RoofVariant&);
  /// Adds up the elements of `from`, once a pass; the sum of `sums` is their sum.
  void (*read)(Queue&, Span<double> sums, Span<const double> from, const RoofVariant&);
  /// How many sums `read` leaves for `count` elements; its `sums` has that many.
  Index (*sums)(const Device&, Index count, const RoofVariant&);

  /// to[i] = from[i] after `rounds` steps x -> x * a + b: two operations a step.
  void (*fma_fp32)(Queue&, Span<float> to, Span<const float> from, float a, float b, int rounds);
  void (*fma_fp64)(Queue&, Span<double> to, Span<const double> from, double a, double b,
                   int rounds);
  /// to[i] = from[i] after `rounds` steps x -> approximate_rsqrt(x): one operation a step.
  void (*rsqrt_fp32)(Queue&, Span<float> to, Span<const float> from, int rounds);
  /// The number of values that keeps all units busy in the three above, with the same for each.
  Index (*values_at_once)(const Device&);

  /// Does nothing, on every unit.
  void (*empty)(Queue&);

  /// One thread: at[0] = next[at[0]], `steps` times. Each read waits for the one before.
  void (*chase)(Queue&, Span<Index> at, Span<const Index> next, Index steps);
};

/// The function that each kind's module offers under `RoofKernels` itself.
using GetRoofKernels = const RoofKernels&();

/// The kernels for `device`, which must be of a kind that this build has.
[[nodiscard]] const RoofKernels& roof_kernels(const Device& device);

} // namespace ridge
