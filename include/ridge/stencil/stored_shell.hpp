// Shells of fields in 16 bits: their rules are in fp32, and what a point gets is rounded once.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/stencil/shell.hpp>

#include <type_traits>

namespace ridge::stencil {

template <class S>
requires is_stored<S>
struct Shell<S> {
  View<S> field;
  Shell<float> rules; ///< of its field the places alone: no floats are there

  template <class Read>
  RIDGE_FN bool value(Index x, Index y, Index z, S& result, const Read& read) const {
    const auto number_at = [&](const Span<float>& from, Index i) -> float {
      if (from.data == rules.field.data) return number_of(read(field.elements(), i));
      return read(from, i); // the values of a face
    };
    float number;
    if (!rules.value(x, y, z, number, number_at)) return false;
    result = element_of<S>(number);
    return true;
  }
};

template <class T>
RIDGE_FN const ShellAxis<NumberOf<T>>& axis_of(const Shell<T>& shell, int axis) {
  if constexpr (is_stored<T>) {
    return shell.rules.axes[axis];
  } else {
    return shell.axes[axis];
  }
}

/// As make_shell, of fields in 16 bits, too.
template <class T>
[[nodiscard]] Shell<T> shell_of(const Boundaries& boundaries, Offset radius, Index3 extents,
                                const ShellLayout& layout, T* data,
                                const FaceValues<NumberOf<T>>& face_values, bool even) {
  if constexpr (is_stored<T>) {
    const Strides& s = layout.strides;
    return {View<T>(data + s.misfit, layout.extents, s.row, s.plane),
            make_shell(boundaries, radius, extents, layout, reinterpret_cast<float*>(data),
                       face_values, even)};
  } else {
    return make_shell(boundaries, radius, extents, layout, data, face_values, even);
  }
}

} // namespace ridge::stencil
