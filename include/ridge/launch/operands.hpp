// Operands of a launch, as every pattern checks them: memory that is written overlaps
// nothing else of the launch, and numbers lie at multiples of their size.
#pragma once

#include <ridge/device/view.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

namespace ridge::launch {

/// The memory of one argument of a launch.
struct Operand {
  const char* begin = nullptr; ///< null: an argument that is not there, of which nothing is checked
  Index bytes = 0;             ///< to behind the last number, gaps between rows included
  /// Bytes that the address must be a multiple of. Loads and stores of less aligned numbers end in
  /// a fault: past the caches on a cpu, all of them on a GPU.
  Index alignment = 1;
  bool written = false;
  /// Item i of what is written needs only item i of this: it may be the same memory as a whole.
  bool in_place = false;
};

template <class T>
[[nodiscard]] Operand operand(const Span<T>& span, bool in_place = false) {
  constexpr auto size = static_cast<Index>(sizeof(T));
  return {reinterpret_cast<const char*>(span.data), span.size * size, size, !std::is_const_v<T>,
          in_place};
}

/// An operand of numbers of `element_bytes`, for views that have lost their type.
[[nodiscard]] Operand operand(const View<const char>& view, Index element_bytes, bool written);

template <class T>
[[nodiscard]] Operand operand(const View<T>& view) {
  return operand(View<const char>(reinterpret_cast<const char*>(view.data), view.extents, view.row,
                                  view.plane),
                 static_cast<Index>(sizeof(T)), !std::is_const_v<T>);
}

/// Throws UsageError for an operand at an address that kernels cannot take, and for one that is
/// written and overlaps another. `name` says what operand i is, for the message.
void check_operands(std::span<const Operand> operands,
                    const std::function<std::string(std::size_t)>& name);

} // namespace ridge::launch
