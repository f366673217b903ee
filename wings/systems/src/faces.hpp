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

/// The same without memory.
template <class T>
[[nodiscard]] BeyondArray<T> rules_of(const SystemKernel& kernel, const SystemSetup& setup,
                                      int array, const Index3& points);

/// The free faces among those of a system, without memory: axis and side of each. Throws UsageError
/// where the system knows none, or an array has another condition there.
[[nodiscard]] std::vector<std::array<int, 2>> free_faces(const SystemKernel& kernel,
                                                         const SystemSetup& setup);

/// The points of an array in absorbing layers, without their factors, and the factors along one
/// axis: what is left of a wave's strength after a step there.
[[nodiscard]] ShellOf layers_of(const SystemSetup& setup, const Placement& placement,
                                Index3 points);
[[nodiscard]] std::vector<double> factors_of(const SystemSetup& setup, const Placement& placement,
                                             Index points, int axis);

/// A point of an array with its share in a value at a place: up to eight lie around that.
struct Around {
  Index3 at;     ///< in the whole, of points that steps compute
  Index3 beside; ///< the same, beyond a periodic end where the place lies there
  double weight;
};
struct AroundPlace {
  std::vector<Around> points; ///< at least one
  double add = 0;             ///< what walls add to a value there
};
/// Points beyond faces count as the points whose images they are, with their signs. Throws
/// UsageError for a place outside the range; `what` it is: "source 2".
[[nodiscard]] AroundPlace around(const SystemKernel& kernel, const SystemSetup& setup, int array,
                                 const std::array<double, 3>& position, const std::string& what);

} // namespace ridge::chain
