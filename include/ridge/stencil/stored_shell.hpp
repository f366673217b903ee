// Shells of fields in 16 bits: their rules are in fp32, and what a point gets is rounded once.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/stencil/pass.hpp>
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

template <class K, class S>
requires is_stored<S>
[[nodiscard]] bool has_moving_faces(const Pass<K, S>& pass) {
  const Index3 n = pass.shell.field.extents;
  return axis_of(pass.shell, 0).points != n.x || axis_of(pass.shell, 1).points != n.y ||
         axis_of(pass.shell, 2).points != n.z;
}

/// Whether points beyond faces are images of others without arithmetic that rounds: then it does
/// not matter how often, or in which order, they are rounded to 16 bits.
[[nodiscard]] inline bool has_exact_images(const Shell<float>& rules) {
  for (const ShellAxis<float>& axis : rules.axes) {
    for (const auto& beyond : axis.beyond) {
      for (int i = 0; i < axis.radius; ++i) {
        if (beyond[i].add != 0) return false;
        for (int side = 0; side < 2; ++side) {
          if (beyond[i].of_face[side] == 0) continue;
          if (axis.values[side].size > 0 || axis.value[side] != 0) return false;
        }
      }
    }
  }
  return true;
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
