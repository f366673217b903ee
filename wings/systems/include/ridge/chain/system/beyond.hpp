// Points at the faces of arrays, as launches set them: those beyond the faces, and layers that
// absorb.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/view.hpp>
#include <ridge/launch/bound.hpp>

namespace ridge {
class Queue;
} // namespace ridge

namespace ridge::chain {

/// Points [begin, end) of three dimensions without those of [low, high).
struct ShellOf {
  Index begin[3] = {0, 0, 0}, low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, end[3] = {1, 1, 1};
  bool ends_of_z = false; ///< cpu: only planes outside [low, high) of z; others are set elsewhere

  [[nodiscard]] RIDGE_FN Index ends(int d) const { return low[d] - begin[d] + end[d] - high[d]; }
  [[nodiscard]] RIDGE_FN Index all(int d) const { return end[d] - begin[d]; }
  [[nodiscard]] RIDGE_FN Index within(int d) const { return high[d] - low[d]; }
  [[nodiscard]] RIDGE_FN Index count() const {
    return all(0) * all(1) * all(2) - within(0) * within(1) * within(2);
  }
  /// The i-th point: the slabs at the ends of z come first, then of y, then of x.
  [[nodiscard]] RIDGE_FN Index3 point(Index i) const {
    const Index in_z = all(0) * all(1) * ends(2);
    if (i < in_z) {
      return {begin[0] + i % all(0), begin[1] + i / all(0) % all(1),
              either(2, i / all(0) / all(1))};
    }
    i -= in_z;
    const Index in_y = all(0) * ends(1) * within(2);
    if (i < in_y) {
      return {begin[0] + i % all(0), either(1, i / all(0) % ends(1)),
              low[2] + i / all(0) / ends(1)};
    }
    i -= in_y;
    return {either(0, i % ends(0)), low[1] + i / ends(0) % within(1),
            low[2] + i / ends(0) / within(1)};
  }

private:
  [[nodiscard]] RIDGE_FN Index either(int d, Index i) const {
    return i < low[d] - begin[d] ? begin[d] + i : high[d] + i - (low[d] - begin[d]);
  }
};

/// Where points beyond a face have their values from.
enum class Image : int { none, reflected, wrapped, first };

template <class T>
struct FaceRule {
  Image image = Image::none;
  Index place = 0;             ///< reflected: point i shows place - i; wrapped: i + place
  Index wall = Index{1} << 60; ///< this point lies on the wall and has `value`
  T sign = 1, add = 0, value = 0;
  T slope = 0; ///< added for each point between a point and its image
};

/// An array and what its points in a shell show. Arrays of 16 bits have rules in fp32.
template <class T>
struct BeyondArray {
  using Number = NumberOf<T>;

  T* data = nullptr; ///< item (0, 0, 0)
  Index row = 0, plane = 0;
  Index before = 0, size = 0; ///< of its memory: elements before the item, and all
  ShellOf shell;
  FaceRule<Number> faces[3][2] = {};
  bool bits = false; ///< halves of numbers, which are copied as they are: no rule changes them

  struct Shown {
    Index at = 0;
    Number sign = 1, add = 0;
  };
  /// The place and sign that index i along axis d shows; false where it keeps what it holds.
  [[nodiscard]] RIDGE_FN bool shows(int d, Index i, Shown& shown) const {
    shown.at = i;
    shown.sign = 1;
    shown.add = 0;
    if (i >= shell.low[d] && i < shell.high[d]) return true;
    const FaceRule<Number>& f = faces[d][i < shell.low[d] ? 0 : 1];
    if (f.image == Image::none) return false;
    if (i == f.wall) {
      shown.at = shell.low[d];
      shown.sign = 0;
      shown.add = f.value;
      return true;
    }
    shown.at = f.image == Image::reflected ? f.place - i
               : f.image == Image::wrapped ? i + f.place
                                           : 0;
    const Index apart = shown.at > i ? shown.at - i : i - shown.at;
    shown.sign = f.sign;
    shown.add = f.add + f.slope * static_cast<Number>(apart);
    return true;
  }
  /// Signs are 1 and -1, or 0 where the value does not count: no product is rounded.
  [[nodiscard]] static RIDGE_FN Number value_of(Number from, const Shown& shown) {
    return shown.sign == 0 ? shown.add : shown.add + shown.sign * from;
  }
  [[nodiscard]] RIDGE_FN Index at(Index x, Index y, Index z) const {
    return x + y * row + z * plane;
  }
};

template <class T>
struct ArrayPlace {
  T* data = nullptr; ///< item (0, 0, 0)
  Index row = 0, plane = 0, before = 0, size = 0;
};

/// A face without traction: velocities beyond it are those of points as far inside, plus slopes.
template <class T>
struct FreeFace {
  ArrayPlace<T> velocities[3], lambda, mu;
  Index n[3] = {1, 1, 1};
  int axis = 0, side = 0;
  NumberOf<T> over[3] = {1, 1, 1}; ///< the spacing along the axis over that along each
  bool wraps[3] = {false, false, false};

  [[nodiscard]] RIDGE_FN Index points() const { return n[0] * n[1] * n[2] / n[axis]; }
};

/// An array whose points in a shell are multiplied by the factors of their three indices.
template <class T>
struct DampedArray {
  T* data = nullptr;
  Index row = 0, plane = 0, size = 0;
  ShellOf shell;
  const NumberOf<T>* factors[3] = {nullptr, nullptr, nullptr};
};

/// One launch for several arrays. The arrays are on the device; a kernel source offers
/// `Bound(Queue&, const FaceLaunch<A>&)` under A.
template <class A>
struct FaceLaunch {
  const A* arrays = nullptr;
  int count = 0;
  Index most = 0; ///< points in the largest shell
};
template <class A>
using BindFaces = Bound(Queue& queue, const FaceLaunch<A>& launch);

/// A point of an array with its share in a source or receiver.
template <class T>
struct ProbeTap {
  T* memory = nullptr; ///< first element
  Index size = 0, at = 0;
  NumberOf<T> weight = 1;
  int number = 0; ///< of the source
};

/// Sources add values to points, receivers sum points; both count steps. `first` has one number
/// more than there are groups: of sources, taps of one point; of receivers, those of one receiver.
template <class T>
struct Sources {
  Span<const ProbeTap<T>> taps;
  Span<const int> first;
  Span<const NumberOf<T>> wavelets; ///< `length` values of each source
  Index length = 0;
  Span<const Index> counter; ///< the step
};
template <class T>
struct Receivers {
  Span<const ProbeTap<T>> taps;
  Span<const int> first;
  Span<NumberOf<T>> traces; ///< `capacity` values of each receiver
  Index capacity = 0;
  Span<Index> counter; ///< the step, and the place in the traces: both are counted up
};
/// Adds to `found` how many elements of an array are NaN or infinite: their sum counts.
template <class T>
struct OddNumbers {
  Span<T> values;
  Span<Index> found; ///< one for each lane
};
/// The fastest wave of shallow water, depth and discharges alike in memory: `found` has one number
/// for each lane, and their largest counts. NaN where a point has it.
template <class T>
struct FastestFlow {
  Span<T> depth, along_x, along_y;
  double gravity = 9.81, dry = 0;
  Span<double> found;
};
template <class P>
using BindProbes = Bound(Queue& queue, const P& probes);

} // namespace ridge::chain
