// Arrays of Python against each other, before the library sees them: in the names and the order of
// axes that its user knows.
#pragma once

#include <ridge/python/arguments.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ridge::python {

/// Which of the arrays are written.
struct Written {
  std::size_t begin = 0, end = 0;
};

/// Throws UsageError, which begins with the kernel's name, for an array of more than `most`
/// dimensions and, with `one_shape`, for one of another shape than the last.
void check_shapes(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const Array> arrays, int most, bool one_shape);

/// Throws UsageError for an array that is written and overlaps another, and for unaligned ones.
/// `by_rows`: rows are arrays of their own, which may lie between each other.
void check_memory(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const Array> arrays, Written written, bool by_rows);

} // namespace ridge::python
