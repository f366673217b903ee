// Objects of many types, owned by their base. std::make_unique and std::make_shared would make
// pointers to each type, whose members take longer to compile than what they hold.
#pragma once

#include <memory>
#include <utility>

namespace ridge {

/// A new Derived, owned as a Base, whose destructor is virtual.
template <class Derived, class Base, class... Arguments>
[[nodiscard]] std::unique_ptr<Base> made_as(Arguments&&... arguments) {
  return std::unique_ptr<Base>(new Derived(std::forward<Arguments>(arguments)...));
}

namespace detail {
template <class Base>
[[gnu::noinline]] std::shared_ptr<Base> shared(Base* made) {
  return std::shared_ptr<Base>(made);
}
} // namespace detail

/// The same, shared.
template <class Derived, class Base, class... Arguments>
[[nodiscard]] std::shared_ptr<Base> shared_as(Arguments&&... arguments) {
  return detail::shared<Base>(new Derived(std::forward<Arguments>(arguments)...));
}

} // namespace ridge
