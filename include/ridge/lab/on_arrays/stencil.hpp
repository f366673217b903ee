// Stencils on arrays that came from another language.
#pragma once

#include <ridge/lab/arrays.hpp>
#include <ridge/lab/stencil_case.hpp>

namespace ridge::lab {

template <class K, class T>
[[nodiscard]] std::unique_ptr<Case> stencil_on(Queue& queue, const K& kernel,
                                               const Arguments& arguments) {
  constexpr auto inputs = static_cast<std::size_t>(stencil::inputs_of<K>);
  check_count(arguments, inputs + 1);
  constexpr stencil::Offset r = stencil::radius_of<K>();
  check_folded(arguments, axes_of(r.y, r.z));
  check_least(arguments, {2 * Index{r.x} + 1, 2 * Index{r.y} + 1, 2 * Index{r.z} + 1}, "stencil");
  stencil::Call<K, T> call{kernel, {}, view_of<T>(arguments.arrays[inputs])};
  for (std::size_t i = 0; i < inputs; ++i)
    call.in[i] = view_of<const T>(arguments.arrays[i]);
  return std::make_unique<StencilOnViews<K, T>>(arguments.kernel, queue, call);
}

/// What is asked of K's arrays; `make` is the caller's.
template <class K>
[[nodiscard]] OnArrays arrays_of_stencil() {
  OnArrays made;
  made.names.clear();
  made.inputs = static_cast<std::size_t>(stencil::inputs_of<K>);
  for (std::size_t i = 1; i <= made.inputs; ++i)
    made.names.push_back(made.inputs == 1 ? "the input" : "input " + std::to_string(i));
  made.names.push_back("the output");
  return made;
}

/// K on the arrays of a call, in their precision.
template <class K>
[[nodiscard]] std::unique_ptr<Case> stencil_on_arrays(Queue& queue, const K& kernel,
                                                      const Arguments& arguments) {
  return arguments.arrays.back().element_bytes == 4
             ? stencil_on<K, float>(queue, kernel, arguments)
             : stencil_on<K, double>(queue, kernel, arguments);
}

} // namespace ridge::lab
