// The vendor's own sum, as the yardstick of reductions. Only in builds with CUDA.
#pragma once

#include <ridge/device/field.hpp>

namespace ridge::lab {

/// cub::DeviceReduce::Sum over a flat array.
template <class T>
class CubSum {
public:
  CubSum(Queue& queue, const Span<const T>& values);
  void launch();
  /// Waits.
  [[nodiscard]] double value();

private:
  Queue& queue_;
  Span<const T> values_;
  std::size_t temporary_bytes_ = 0;
  Memory temporary_, result_;
};

} // namespace ridge::lab
