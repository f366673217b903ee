// The vendor's own sum, as the yardstick of reductions: what the module of CUDA offers under the
// type of the call.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/launch/bound.hpp>

namespace ridge::lattice {

/// cub::DeviceReduce::Sum over a flat array, into one number.
template <class T>
struct CubSum {
  Span<const T> values;
  Span<T> result;
};

template <class T>
using BindCubSum = Bound(Queue& queue, const CubSum<T>& call);

} // namespace ridge::lattice
