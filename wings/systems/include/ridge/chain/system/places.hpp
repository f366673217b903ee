// Places of a system's items in the whole range: whether operations ask for them, and what
// references tell.
#pragma once

#include <ridge/chain/placed.hpp>
#include <ridge/chain/reference.hpp>

#include <array>
#include <utility>
#include <vector>

namespace ridge::chain {

/// A part of a range that goes round along all dimensions, as references compute it.
template <class C>
struct PlacedRound : Placed<C> {};
template <class C>
struct PlaceOf<PlacedRound<C>> {
  Index3 begin, all;
  RIDGE_FN explicit PlaceOf(const PlacedRound<C>& chain) : begin(chain.begin), all(chain.whole) {}
  [[nodiscard]] RIDGE_FN Index along(int d, Index i) const {
    const Index n = d == 0 ? all.x : d == 1 ? all.y : all.z;
    const Index at = (i + (d == 0 ? begin.x : d == 1 ? begin.y : begin.z)) % n;
    return at < 0 ? at + n : at;
  }
  [[nodiscard]] RIDGE_FN const Index3& whole(const Index3& /*extents*/) const { return all; }
};

/// A chain whose operations are compiled, and never run, to see what they ask for.
template <class C>
struct Probed : C {};

namespace detail {
/// True from the start of a program, or from when a library is loaded, where PlaceOf<Probed<C>>
/// was instantiated: compilers do so for what operations call alone.
template <class C>
struct AskedPlaces {
  struct Mark {
    Mark() { asked = true; }
  };
  static inline bool asked = false;
  static inline Mark mark;
};
} // namespace detail

template <class C>
struct PlaceOf<Probed<C>> {
  explicit PlaceOf(const Probed<C>& /*chain*/) {}
  [[nodiscard]] Index along(int /*d*/, Index i) const {
    (void)&detail::AskedPlaces<C>::mark;
    return i;
  }
  [[nodiscard]] const Index3& whole(const Index3& extents) const {
    (void)&detail::AskedPlaces<C>::mark;
    return extents;
  }
};

namespace detail {
template <class C>
void probe(const C& chain) {
  std::array<std::vector<double>, arrays_of<C>> arrays;
  const ReferenceMemory<Probed<C>, double> memory{{}, arrays, {}};
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (run_reference<K>(Probed<C>{chain}, memory, PlanesInTurn{}), ...);
  }
  (std::make_integer_sequence<int, operations_of<C>>{});
}
} // namespace detail

/// Whether an operation of C asks for its place or the extents of the range, in whatever branch.
template <class C>
[[nodiscard]] bool asks_places() {
  [[maybe_unused]] void (*const compiled)(const C&) = &detail::probe<C>;
  return detail::AskedPlaces<C>::asked;
}

} // namespace ridge::chain
