// One reduction of fields, without the types of their sites.
#pragma once

#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/lattice/site_view.hpp>

namespace ridge::lattice {

/// A call on fields of one lattice and one shape; `y` and `z` where it reads and stores them.
template <class R, class T>
struct ReduceCall {
  R reduction = {};
  bool reproducible = false; ///< binned sums: the same bits whatever the device and the schedule
  SiteShape shape;
  Geometry geometry;
  Span<const T> x, y;
  Span<T> z;
  int dimension = -1; ///< along which slices are reduced; -1: the whole field is
  /// The sites of a box alone are summed, and results are binned accumulators, to which those of
  /// other boxes can be added. Along the dimension of slices it is not cut: all have results.
  bool boxed = false;
  SiteBox box = {};
  /// On the device: slice after slice, component after component, real and imaginary part.
  Span<double> result;

  /// Numbers of a slice's result.
  [[nodiscard]] int keys() const { return R::by_component ? shape.components : 1; }
  /// Doubles of a number of the result.
  [[nodiscard]] int parts() const { return R::parts == Parts::joined ? 1 : shape.parts(); }
  [[nodiscard]] int slices() const { return dimension < 0 ? 1 : geometry.extent(dimension); }
  [[nodiscard]] Index results() const { return Index{slices()} * keys() * parts(); }
  /// Doubles of all results.
  [[nodiscard]] Index room() const { return results() * (boxed ? BinnedSum<double>::words : 1); }
};

/// How a field's vectors follow each other for slices along a dimension: `outer` blocks of `slices`
/// runs of `run` bytes each. The slices are those of a box; lane l belongs to box
/// l / lane_stride % boxes along the dimension.
struct SliceWalk {
  Index outer = 1, slices = 1, run = 0;
  int lane_stride = 1, boxes = 1;
};

template <class R, class T>
[[nodiscard]] SliceWalk slice_walk(const ReduceCall<R, T>& call) {
  const Index group = Index{call.geometry.nsimd} * call.shape.site_bytes();
  SliceWalk walk;
  if (call.dimension < 0) {
    walk.run = call.geometry.groups * group;
    return walk;
  }
  const Index stride = call.geometry.group_stride[call.dimension];
  walk.slices = call.geometry.local[call.dimension];
  walk.outer = call.geometry.groups / (stride * walk.slices);
  walk.run = stride * group;
  walk.lane_stride = call.geometry.lane_stride[call.dimension];
  walk.boxes = call.geometry.lanes[call.dimension];
  return walk;
}

} // namespace ridge::lattice
