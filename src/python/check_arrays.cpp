#include "check_arrays.hpp"

#include <ridge/core/error.hpp>
#include <ridge/launch/operands.hpp>

#include <fmt/format.h>

namespace ridge::python {

namespace {

/// Of an array whose rows are compared one by one.
constexpr Index most_rows = 64;

bool same_shape(const Array& a, const Array& b) {
  for (int d = 0; d < max_rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if ((d < a.rank ? a.extents[at] : 1) != (d < b.rank ? b.extents[at] : 1)) return false;
  }
  return true;
}

/// From the first to the last number of `rank` dimensions from `begin` on.
launch::Operand operand_of(const Array& a, const char* begin, int rank, bool written) {
  Index last = 0;
  for (int d = 0; d < rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    last += (a.extents[at] - 1) * a.strides[at];
  }
  return {begin, (last + 1) * a.element_bytes, a.element_bytes, written, false};
}

} // namespace

void check_shapes(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const Array> arrays, int most, bool one_shape) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = arrays[i];
    if (a.rank > most) {
      throw UsageError(fmt::format("{}: {} has {} dimensions; 1 to {} are possible", kernel,
                                   names[i], a.rank, most));
    }
    if (one_shape && !same_shape(a, arrays.back())) {
      throw UsageError(fmt::format("{}: {} has the shape {} and {} {}; all arrays must have one",
                                   kernel, names[i], shape_text(a), names[arrays.size() - 1],
                                   shape_text(arrays.back())));
    }
  }
}

void check_memory(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const Array> arrays, Written written, bool by_rows) {
  std::vector<launch::Operand> operands;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = arrays[i];
    const auto* const begin = static_cast<const char*>(a.data);
    const bool is_written = i >= written.begin && i < written.end;
    const bool rows = by_rows && a.rank == 2 && a.extents[1] <= most_rows;
    for (Index row = 0; row < (rows ? a.extents[1] : 1); ++row) {
      const char* const at = rows ? begin + row * a.strides[1] * a.element_bytes : begin;
      operands.push_back(operand_of(a, at, rows ? 1 : a.rank, is_written));
      owners.push_back(i);
    }
  }
  try {
    launch::check_operands(operands, [&](std::size_t i) { return names[owners[i]]; });
  } catch (const UsageError& e) {
    throw UsageError(kernel + ": " + e.what());
  }
}

} // namespace ridge::python
