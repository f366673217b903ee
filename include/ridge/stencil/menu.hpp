// Menus of stencils, and of many sweeps of one.
#pragma once

#include <ridge/launch/subject.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/record/numbers.hpp>
#include <ridge/stencil/boundary.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/strides.hpp>
#include <ridge/stencil/traits.hpp>

#include <memory>
#include <optional>
#include <string>

namespace ridge::stencil {

/// Without `strides` the fields are Ridge's own. Where the place is described, schedules are refused
/// for extents in which the kernel writes no point.
[[nodiscard]] std::unique_ptr<Menu> menu(const Traits& traits, Index3 extents, const Place& place,
                                         const std::optional<Strides>& strides = {});

/// Many sweeps of a kernel of so many time levels. Where the place is described, a launch is one
/// sweep.
[[nodiscard]] std::unique_ptr<Menu> sweeps_menu(const Traits& traits, int levels,
                                                const Boundaries& boundaries, Index3 extents,
                                                const Place& place);

template <class K, class T>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const Call<K, T>& call, const Place& place) {
  return menu(traits_of<K, T>(), call.out.extents, place, Strides::of(call.out));
}
/// An empty name stands for that of the kernel's type.
template <class K, class T>
[[nodiscard]] Subject subject_of(const Call<K, T>& call, std::string kernel) {
  const Index3 n = call.out.extents;
  return {&typeid(call), kernel.empty() ? launch::type_text<K>() : std::move(kernel),
          precision_name<T>(), Extents{n.x, n.y, n.z}};
}

} // namespace ridge::stencil
