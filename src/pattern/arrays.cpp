// Arrays of other languages against each other, before a pattern sees them: in the names and the
// order of axes that their user knows.
#include <ridge/launch/operands.hpp>
#include <ridge/pattern/arrays.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

namespace ridge {

namespace {

/// Of an array whose rows are compared one by one.
constexpr Index most_rows = 64;

bool same_shape(const GivenArray& a, const GivenArray& b) {
  for (int d = 0; d < max_array_rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if ((d < a.rank ? a.extents[at] : 1) != (d < b.rank ? b.extents[at] : 1)) return false;
  }
  return true;
}

/// From the first to the last number of `rank` dimensions from `begin` on.
launch::Operand operand_of(const GivenArray& a, const char* begin, int rank, bool written) {
  Index last = 0;
  for (int d = 0; d < rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    last += (a.extents[at] - 1) * a.strides[at];
  }
  return {begin, (last + 1) * a.element_bytes, a.element_bytes, written, false};
}

} // namespace

std::string shape_text(const Index* extents, int rank, ShapeOrder order) {
  std::string text = "(";
  for (int i = 0; i < rank; ++i) {
    const int d = order == ShapeOrder::x_first ? i : rank - 1 - i;
    text += std::to_string(extents[d]) + (i + 1 < rank ? ", " : rank == 1 ? ",)" : ")");
  }
  if (rank == 1 && order == ShapeOrder::x_first) text.erase(text.size() - 2, 1); // no comma
  return text;
}

std::string shape_text(const GivenArray& a, ShapeOrder order) {
  return shape_text(a.extents.data(), a.rank, order);
}

void check_least(const Arguments& arguments, Index3 least, const char* kernel_is) {
  const GivenArray& a = arguments.arrays.back();
  const Index needed[3] = {least.x, least.y, least.z};
  bool fits = true;
  for (int d = 0; d < 3; ++d)
    fits = fits && (d < a.rank ? a.extents[static_cast<std::size_t>(d)] : 1) >= needed[d];
  if (fits) return;
  int rank = 3; // as many as the arrays have, or as the kernel reads along
  while (rank > a.rank && needed[rank - 1] == 1)
    --rank;
  throw UsageError(arguments.kernel + ": arrays of shape " + shape_text(a, arguments.order) +
                   " leave nothing to compute; this " + kernel_is + " needs at least " +
                   shape_text(needed, rank, arguments.order));
}

void check_folded(const Arguments& arguments, int axes) {
  for (const GivenArray& a : arguments.arrays) {
    if (a.rank <= 3) continue;
    const std::string has = fmt::format("{}: arrays of {} dimensions", arguments.kernel, a.rank);
    refuse_if(axes > 2, "{}; this kernel reads along the third, so 1 to 3 are possible", has);
    for (int d = 3; d < a.rank; ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (a.strides[at] == a.strides[at - 1] * a.extents[at - 1]) continue;
      throw UsageError(has + " with gaps beyond the third; those must follow each other");
    }
  }
}

void check_count(const Arguments& arguments, std::size_t right) {
  const std::size_t given = arguments.arrays.size();
  if (given == right) return;
  throw UsageError(
      fmt::format("{} takes {} arrays, outputs included, not {}", arguments.kernel, right, given));
}

void check_components(const Arguments& arguments, const GivenArray& a, int right,
                      const char* what) {
  const Index found = a.rank > 1 ? a.extents[1] : 1;
  if (found == right) return;
  const char* const shape =
      arguments.order == ShapeOrder::x_first ? "(bodies, {})" : "({}, bodies)";
  const bool several = std::string_view(what).ends_with('s'); // bodies, as opposed to x
  throw UsageError(fmt::format("{}: {} {} {} components; an array of shape {} is right",
                               arguments.kernel, what, several ? "have" : "has", found,
                               fmt::format(fmt::runtime(shape), right)));
}

void check_shapes(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const GivenArray> arrays, int most, bool one_shape, ShapeOrder order) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const GivenArray& a = arrays[i];
    refuse_if(a.rank > most, "{}: {} has {} dimensions; 1 to {} are possible", kernel, names[i],
              a.rank, most);
    if (one_shape && !same_shape(a, arrays.back())) {
      throw UsageError(fmt::format("{}: {} has the shape {} and {} {}; all arrays must have one",
                                   kernel, names[i], shape_text(a, order), names[arrays.size() - 1],
                                   shape_text(arrays.back(), order)));
    }
  }
}

void check_memory(const std::string& kernel, const std::vector<std::string>& names,
                  std::span<const GivenArray> arrays, Written written, bool by_rows) {
  std::vector<launch::Operand> operands;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const GivenArray& a = arrays[i];
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

} // namespace ridge
