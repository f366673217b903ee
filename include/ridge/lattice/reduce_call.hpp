// One reduction of fields, without the types of their sites.
#pragma once

#include <ridge/lattice/field.hpp>

namespace ridge::lattice {

/// What is accumulated of each site, always in double:
///   sum        the tensor, component by component
///   norm2      the squares of all its real numbers
///   inner      conj(x) y over all components
///   axpy_norm  z = a x + y is stored, and its norm2 accumulated
///   max        the real number; NaN when there is one
enum class Reduction { sum, norm2, inner, axpy_norm, max };
constexpr auto enum_names(Reduction) {
  return std::array<std::string_view, 5>{"sum", "norm2", "inner_product", "axpy_norm", "max"};
}

/// Fields of one lattice and one shape. `y` is used by inner and axpy_norm, `z` and `a` by
/// axpy_norm.
template <class T>
struct ReduceCall {
  Reduction what = Reduction::sum;
  bool reproducible = false; ///< binned sums: the same bits whatever the device and the schedule
  SiteShape shape;
  Geometry geometry;
  Span<const T> x, y;
  Span<T> z;
  T a = 0;
  int dimension = -1; ///< along which slices are reduced; -1: the whole field is
  /// On the device: slice after slice, component after component, real and imaginary part.
  Span<double> result;

  /// Numbers of a slice's result: the components for sum, 1 for all others.
  [[nodiscard]] int keys() const { return what == Reduction::sum ? shape.components : 1; }
  /// Doubles of a number of the result.
  [[nodiscard]] int parts() const {
    return what == Reduction::sum || what == Reduction::inner ? shape.parts() : 1;
  }
  [[nodiscard]] int slices() const { return dimension < 0 ? 1 : geometry.extent(dimension); }
  [[nodiscard]] Index results() const { return Index{slices()} * keys() * parts(); }
};

/// How a field's vectors follow each other for slices along a dimension: `outer` blocks of `slices`
/// runs of `run` bytes each. The slices are those of a box; lane l belongs to box
/// l / lane_stride % boxes along the dimension.
struct SliceWalk {
  Index outer = 1, slices = 1, run = 0;
  int lane_stride = 1, boxes = 1;
};

template <class T>
[[nodiscard]] SliceWalk slice_walk(const ReduceCall<T>& call) {
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
