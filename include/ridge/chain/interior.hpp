// Items that lie so far from all ends that operations need not ask where they are.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/index.hpp>

namespace ridge::chain::inline RIDGE_TARGET_NAME {

/// True where the operations First to Last say which items are interior, by `static constexpr
/// Domain interior`: no neighbour that they read lies beyond an end, and each value of `inside`
/// (ridge/chain/inside.hpp) counts there as it does at the next interior item. Parts of ranks ask
/// at all items.
template <class C, int First, int Last>
constexpr bool has_interior() {
  if constexpr (requires(const C& chain) { chain.whole; }) {
    return false;
  } else if constexpr (First < Last) {
    return has_interior<C, First, First>() && has_interior<C, First + 1, Last>();
  } else {
    return requires {
      Operation<C, First>::interior;
    };
  }
}

/// True of chains whose interior items hold what they compute already, by `static constexpr bool
/// interior_done = true`: executors may leave these as they are.
template <class C>
inline constexpr bool has_interior_done = requires {
  C::interior_done;
};

/// The items that are interior to all of the operations First to Last.
template <class C, int First, int Last>
constexpr Domain interior_of() {
  Domain all = Operation<C, First>::interior;
  if constexpr (First < Last) {
    constexpr Domain more = interior_of<C, First + 1, Last>();
    const auto most = [](int a, int b) { return a > b ? a : b; };
    const auto least = [](int a, int b) { return a < b ? a : b; };
    all.begin = {most(all.begin.x, more.begin.x), most(all.begin.y, more.begin.y),
                 most(all.begin.z, more.begin.z)};
    all.end = {least(all.end.x, more.end.x), least(all.end.y, more.end.y),
               least(all.end.z, more.end.z)};
  }
  return all;
}

/// True of an item i of n between the ends that a domain has along a dimension.
RIDGE_FN bool is_between(Index i, Index n, int begin, int end) {
  return i >= begin && i < n + end;
}

} // namespace ridge::chain::inline RIDGE_TARGET_NAME
