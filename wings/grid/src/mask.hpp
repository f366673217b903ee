// Masks: points of a grid that are not solved for, and that nothing flows into.
#pragma once

#include "axis.hpp"

#include <vector>

namespace ridge::solve::detail {

/// A point that is not solved for, one that is, or one that lies beside a face that holds a value,
/// where the face's point is not masked.
enum class Role : unsigned char { open, masked, held };

/// Throws UsageError where a mask leaves no point, and where without a shift it cuts points off
/// from all faces that fix the solution, or the rest in two where none does; names one of them.
/// `roles`: of the points of the axes, x fastest; `first` is where the first point lies in the
/// user's field.
void require_connected(const std::vector<Role>& roles, const std::vector<Axis>& axes,
                       bool has_shift, Index3 first);

} // namespace ridge::solve::detail
