// Arguments that other languages hand to a kernel, by the names that their interfaces have for
// them.
#pragma once

#include <ridge/pattern/arrays.hpp>

namespace ridge::lab {

using Array = GivenArray;
using ridge::Arguments, ridge::OnArrays, ridge::ShapeOrder, ridge::check_memory,
    ridge::check_shapes, ridge::max_array_rank, ridge::shape_text, ridge::view_of;

} // namespace ridge::lab
