// Menus of chains.
#pragma once

#include <ridge/chain/launch.hpp>
#include <ridge/launch/subject.hpp>
#include <ridge/launch/type_text.hpp>

#include <memory>
#include <string>

namespace ridge::chain {

[[nodiscard]] std::unique_ptr<Menu> menu(const Description& chain, Index3 extents,
                                         const Place& place);

template <class C, class T>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const Request<C, T>& request, const Place& place) {
  return menu(describe<C, T>(), request.extents, place);
}
/// An empty name stands for that of the chain's type.
template <class C, class T>
[[nodiscard]] Subject subject_of(const Request<C, T>& request, std::string kernel) {
  const Index3 n = request.extents;
  return {&typeid(Call<C, T>), kernel.empty() ? launch::type_text<C>() : std::move(kernel),
          sizeof(T) == 4 ? "fp32" : "fp64", Extents{n.x, n.y, n.z}};
}

} // namespace ridge::chain
