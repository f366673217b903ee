// Menus of interactions.
#pragma once

#include <ridge/launch/subject.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/pairs/launch.hpp>

#include <memory>
#include <string>

namespace ridge::pairs {

[[nodiscard]] std::unique_ptr<Menu> menu(const Traits& traits, const Bodies& bodies,
                                         const ridge::Place& place);

template <class I, class P>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const Call<I, P>& call, const ridge::Place& place) {
  return menu(traits_of<I, P>(), bodies_of(call), place);
}
/// The size is the number of bodies; where targets are not the sources, of both. An empty name
/// stands for that of the interaction's type.
template <class I, class P>
[[nodiscard]] Subject subject_of(const Call<I, P>& call, std::string kernel) {
  const Bodies bodies = bodies_of(call);
  return {&typeid(call), kernel.empty() ? launch::type_text<I>() : std::move(kernel),
          traits_of<I, P>().precision,
          bodies.same ? Extents{bodies.targets} : Extents{bodies.targets, bodies.sources}};
}

} // namespace ridge::pairs
