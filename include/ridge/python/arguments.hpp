// Arguments that Python hands to a kernel: arrays where they lie, and numbers.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lab/arrays.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/pattern/case.hpp>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace ridge::python {

using lab::Arguments;
using lab::Array;
using lab::check_memory;
using lab::check_shapes;
using lab::view_of;

using Describe = DescribeOnArrays;

/// A shape as NumPy writes it: x, the first dimension of C++, is the last.
[[nodiscard]] inline std::string shape_text(const Index* extents, int rank) {
  return lab::shape_text(extents, rank, lab::ShapeOrder::x_last);
}
[[nodiscard]] inline std::string shape_text(const Array& a) {
  return shape_text(a.extents.data(), a.rank);
}

} // namespace ridge::python
