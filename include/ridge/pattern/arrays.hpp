// Arguments that other languages hand to a kernel: arrays where they lie, and numbers.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/core/spacing.hpp>
#include <ridge/device/field.hpp>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ridge {

class Case;
class RoofSource;

/// As many as Fortran programs have: those beyond the third are folded where a kernel allows it.
inline constexpr int max_array_rank = 6;

/// An array of somebody else's. Dimensions are those of C++: x, contiguous in memory, first.
struct GivenArray {
  void* data = nullptr;
  int rank = 0;
  std::array<Index, max_array_rank> extents{};
  std::array<Index, max_array_rank> strides{}; ///< in elements
  int element_bytes = 8;                       ///< 4: float, 8: double
};

/// How messages write a shape: as NumPy, x last, or as Fortran and Ridge itself, x first.
enum class ShapeOrder { x_last, x_first };

struct Arguments {
  std::string kernel;                 ///< its name in records
  std::span<const GivenArray> arrays; ///< inputs, then outputs; of one type of number
  std::span<const double> numbers;
  ShapeOrder order = ShapeOrder::x_last;
  Spacing spacing{1, 1, 1}; ///< of built-in kernels on grids
};

/// A kernel's work on arrays of somebody else's; `make` is empty where it takes none.
struct OnArrays {
  /// The kernel on them. Throws UsageError for arrays that it does not take. Ask case_on_arrays.
  std::function<std::unique_ptr<Case>(Queue& queue, RoofSource& roof, const Arguments&)> make;
  std::vector<std::string> names; ///< of its arrays, inputs first; without targets of pairs
  std::size_t inputs = 1;         ///< of the arrays that are named; the others are written
  bool one_shape = true;          ///< all arrays have
  bool on_grid = false;           ///< they are fields on a grid, whose edges are not written
  bool by_rows = false;           ///< rows are arrays of their own: components of bodies
};

/// The function that a kernel's description offers, by its own type: the kernel on the arrays of
/// somebody else. Throws UsageError for arrays that it does not take.
using DescribeOnArrays = std::unique_ptr<Case>(Queue& queue, RoofSource& roof, const Arguments&);

/// `(NZ, NY, NX)`, or x first.
[[nodiscard]] std::string shape_text(const Index* extents, int rank, ShapeOrder order);
[[nodiscard]] std::string shape_text(const GivenArray& a, ShapeOrder order);

/// Throws UsageError where an array is smaller than `least` along a dimension; `kernel_is` is what
/// the kernel is called.
void check_least(const Arguments& arguments, Index3 least, const char* kernel_is);

/// Throws UsageError unless there are so many arrays, outputs included.
void check_count(const Arguments& arguments, std::size_t right);

/// Which of the arrays are written.
struct Written {
  std::size_t begin = 0, end = 0;
};

/// Throws UsageError, which begins with the kernel's name, for an array of more than `most`
/// dimensions and, with `one_shape`, for one of another shape than the last.
void check_shapes(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const GivenArray> arrays, int most, bool one_shape,
                  ShapeOrder order = ShapeOrder::x_last);

/// Throws UsageError for an array that is written and overlaps another, and for unaligned ones.
/// `by_rows`: rows are arrays of their own, which may lie between each other.
void check_memory(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const GivenArray> arrays, Written written, bool by_rows);

/// Throws UsageError for arrays of more than three dimensions that cannot be seen as three: the
/// kernel reads along all of its `axes` = 3, or rows beyond the third have gaps.
void check_folded(const Arguments& arguments, int axes);

/// Dimensions beyond the third are folded into it.
template <class T>
[[nodiscard]] View<T> view_of(const GivenArray& a) {
  const auto extent = [&](int d) {
    return d < a.rank ? a.extents[static_cast<std::size_t>(d)] : 1;
  };
  Index3 n{extent(0), extent(1), extent(2)};
  for (int d = 3; d < a.rank; ++d)
    n.z *= extent(d);
  const Index row = a.rank > 1 ? a.strides[1] : n.x;
  const Index plane = a.rank > 2 ? a.strides[2] : row * n.y;
  return {static_cast<T*>(a.data), n, row, plane};
}

/// Row `c` of an array of components by bodies.
template <class T>
[[nodiscard]] Span<T> row_of(const GivenArray& a, int c) {
  const Index stride = a.rank > 1 ? a.strides[1] : 0;
  return {static_cast<T*>(a.data) + c * stride, a.extents[0]};
}

/// How many of the first dimensions a reach is along.
[[nodiscard]] constexpr int axes_of(Index y, Index z) {
  return z != 0 ? 3 : y != 0 ? 2 : 1;
}

/// Throws UsageError unless `what` has so many components, its second extent.
void check_components(const Arguments& arguments, const GivenArray& a, int right, const char* what);

} // namespace ridge
