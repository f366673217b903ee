// From walls to what launches set: the memory of a system's arrays, and rules for their faces.
#pragma once

#include <ridge/chain/system/beyond.hpp>
#include <ridge/chain/system/system.hpp>

namespace ridge::chain {

/// How far all operations together read an array.
[[nodiscard]] Reach reach_of_all(const Description& d, int array);

/// The shell of an array, and what its points show. `memory` is the array's first element. Throws
/// UsageError for extents that are too small for a wall.
template <class T>
[[nodiscard]] BeyondArray<T> faces_of(const SystemKernel& kernel, const SystemSetup& setup,
                                      int array, const ArrayLayout& layout, T* memory);

/// The points of an array in absorbing layers, without their factors, and the factors along one
/// axis: what is left of a wave's strength after a step there.
[[nodiscard]] ShellOf layers_of(const SystemSetup& setup, const Placement& placement,
                                Index3 points);
[[nodiscard]] std::vector<double> factors_of(const SystemSetup& setup, const Placement& placement,
                                             Index points, int axis);

/// Where a place lies between the points of an array, in coordinates of the whole: up to eight of
/// them, and their weights.
struct Around {
  Index3 at;
  double weight;
};
/// Throws UsageError for a place outside the range; `what` it is: "source 2".
[[nodiscard]] std::vector<Around> around(const SystemSetup& setup, const Placement& placement,
                                         Index3 points, const std::array<double, 3>& position,
                                         const std::string& what);

} // namespace ridge::chain
