// The site kernel that stores an expression.
#pragma once

#include <ridge/lattice/expression.hpp>

namespace ridge::lattice::inline RIDGE_TARGET_NAME {

/// Stores an expression, all components of a site or one.
template <class S, class E, bool Stream>
struct StoreExpression {
  SiteView<S> z;
  E e;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    if constexpr (components_of<S> <= few_components) {
      RIDGE_UNROLL
      for (int c = 0; c < components_of<S>; ++c)
        one(at, c);
    } else {
      for (int c = 0; c < components_of<S>; ++c)
        one(at, c);
    }
  }
  template <class At>
  RIDGE_FN void operator()(const At& at, int part) const {
    one(at, part);
  }

private:
  template <class At>
  RIDGE_FN void one(const At& at, int c) const {
    using Value = NumberOf<Over<S, typename At::template Value<RealOf<S>>>>;
    if constexpr (Stream) {
      at.template store<true>(z, c, Value(e.component(at, c)));
    } else {
      at.store(z, c, Value(e.component(at, c)));
    }
  }
};

} // namespace ridge::lattice::inline RIDGE_TARGET_NAME
