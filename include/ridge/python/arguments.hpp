// What Python hands to a kernel: arrays where they lie, and numbers.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace ridge::python {

/// An array of somebody else's. Dimensions are those of C++: x, contiguous in memory, first.
struct Array {
  void* data = nullptr;
  int rank = 0;
  std::array<Index, max_rank> extents{};
  std::array<Index, max_rank> strides{}; ///< in elements
  int element_bytes = 8;                 ///< 4: float, 8: double
};

struct Arguments {
  std::string kernel;            ///< its name in records
  std::span<const Array> arrays; ///< inputs, then outputs; of one type of number
  std::span<const double> numbers;
};

/// What a kernel's description offers, by the type of this function: the kernel on the arrays of
/// somebody else. Throws UsageError for arrays that it does not take.
using Describe = std::unique_ptr<lab::Case>(Queue& queue, lab::RoofSource& roof,
                                            const Arguments& arguments);

/// A shape as NumPy writes it: x, the first dimension of C++, is the last.
[[nodiscard]] inline std::string shape_text(const Index* extents, int rank) {
  std::string text = "(";
  for (int d = rank - 1; d >= 0; --d)
    text += std::to_string(extents[d]) + (d > 0 ? ", " : rank == 1 ? ",)" : ")");
  return text;
}
[[nodiscard]] inline std::string shape_text(const Array& a) {
  return shape_text(a.extents.data(), a.rank);
}

/// Throws UsageError where an array is smaller than `least` along a dimension; `kernel_is` is what
/// the kernel is called.
inline void check_least(const Arguments& arguments, Index3 least, const char* kernel_is) {
  const Array& a = arguments.arrays.back();
  const Index needed[3] = {least.x, least.y, least.z};
  bool fits = true;
  for (int d = 0; d < 3; ++d)
    fits = fits && (d < a.rank ? a.extents[static_cast<std::size_t>(d)] : 1) >= needed[d];
  if (fits) return;
  int rank = 3; // as many as the arrays have, or as the kernel reads along
  while (rank > a.rank && needed[rank - 1] == 1)
    --rank;
  throw UsageError(arguments.kernel + ": arrays of shape " + shape_text(a) +
                   " leave nothing to compute; this " + kernel_is + " needs at least " +
                   shape_text(needed, rank));
}

template <class T>
[[nodiscard]] View<T> view_of(const Array& a) {
  const auto extent = [&](int d) {
    return d < a.rank ? a.extents[static_cast<std::size_t>(d)] : 1;
  };
  const Index3 n{extent(0), extent(1), extent(2)};
  const Index row = a.rank > 1 ? a.strides[1] : n.x;
  const Index plane = a.rank > 2 ? a.strides[2] : row * n.y;
  return {static_cast<T*>(a.data), n, row, plane};
}

} // namespace ridge::python
