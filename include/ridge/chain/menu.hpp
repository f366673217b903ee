// Menus of chains.
#pragma once

#include <ridge/chain/launch.hpp>
#include <ridge/launch/subject.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/record/numbers.hpp>

#include <memory>
#include <string>

namespace ridge::chain {

[[nodiscard]] std::unique_ptr<Menu> menu(const Description& chain, const Range& range,
                                         const Place& place);

template <class C, class T>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const Request<C, T>& request, const Place& place) {
  return menu(describe<C, T>(), request.extents, place);
}
/// An empty name stands for that of the chain's type.
template <class C, class T>
[[nodiscard]] Subject subject_of(const Request<C, T>& request, std::string kernel) {
  const Range& n = request.extents;
  return {&typeid(Call<C, T>), kernel.empty() ? launch::type_text<C>() : std::move(kernel),
          precision_name<T>(),
          outer_of<C>() > 0 ? extents_of(describe<C, T>(), n) : Extents{n.x, n.y, n.z}};
}

} // namespace ridge::chain
