// Chains on a part of their range, as ranks run them.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/index.hpp>

namespace ridge::chain {

/// The chain C on a part of its range: its operations see where items are in the whole range, going
/// round along periodic dimensions, and the extents of that. Kernel sources that run a chain over
/// ranks instantiate `Executor<Placed<Heat>, double, ridge::Here>`.
template <class C>
struct Placed : C {
  Index3 begin; ///< of the part's first item in the whole range
  Index3 whole; ///< extents of that
};

/// Where items of a chain are; most run on all of their range.
template <class C>
struct PlaceOf {
  RIDGE_FN explicit PlaceOf(const C& /*chain*/) {}
  [[nodiscard]] RIDGE_FN Index along(int /*d*/, Index i) const { return i; }
  [[nodiscard]] RIDGE_FN const Index3& whole(const Index3& extents) const { return extents; }
};
template <class C>
struct PlaceOf<Placed<C>> {
  Index3 begin, all;
  RIDGE_FN explicit PlaceOf(const Placed<C>& chain) : begin(chain.begin), all(chain.whole) {}
  /// The place of item i of the part along dimension d.
  [[nodiscard]] RIDGE_FN Index along(int d, Index i) const {
    const Index at = i + (d == 0 ? begin.x : d == 1 ? begin.y : begin.z);
    if (d == 0 ? !periodic[0] : d == 1 ? !periodic[1] : !periodic[2]) return at;
    const Index n = d == 0 ? all.x : d == 1 ? all.y : all.z;
    // A part that is all of the dimension begins at 0: its items beyond the end stay there.
    if ((d == 0 ? begin.x : d == 1 ? begin.y : begin.z) == 0) return at;
    return at < 0 ? at + n : at >= n ? at - n : at;
  }
  [[nodiscard]] RIDGE_FN const Index3& whole(const Index3& /*extents*/) const { return all; }

private:
  /// Asked with constant indices only: a GPU of CUDA has no array of the host's to look into.
  static constexpr bool periodic[3] = {dimension_of<C>(0).edge == Edge::periodic,
                                       dimension_of<C>(1).edge == Edge::periodic,
                                       dimension_of<C>(2).edge == Edge::periodic};
};

} // namespace ridge::chain
