// Writes of a lane of a block that marches by bulk copies: planes whose row ends it asked for a
// few planes ahead.
#pragma once

#include <ridge/stencil/gpu/march_ends.hpp>
#include <ridge/stencil/gpu/march_tile.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, MarchVariant M>
class MarchTarget : public MarchEnds<K, T, M, MarchTile<K, T, M>> {
public:
  using Tile = MarchTile<K, T, M>;
  using Base = MarchEnds<K, T, M, Tile>;
  using Base::Base, Base::ahead;
  using typename Base::Results;

  /// Asks for the ends of rows in the first planes.
  template <class Lane, class Edges>
  RIDGE_DEVICE void begin(Lane& lane, const View<T>& out, Edges& edges) const {
    if (edge_ < 0) return;
    for (int later = 0; later < ahead; ++later)
      ask(lane, out, edges, later);
  }

  /// Writes the next plane.
  template <class Lane, class Edges>
  RIDGE_DEVICE void store(Lane& lane, const View<T>& out, Edges& edges, Results& results) {
    if (edge_ >= 0) lane.template copy_wait<ahead - 1>();
    this->put(lane, out, edges, results);
    if (edge_ >= 0) ask(lane, out, edges, ahead);
    this->advance(out);
  }

private:
  using Base::edge_;

  /// Without branches: the lanes at the ends of rows are those that the others wait for.
  template <class Lane, class Edges>
  RIDGE_DEVICE void ask(Lane& lane, const View<T>& out, Edges& edges, int later) const {
    Base::ask(lane, out, edges, later);
    lane.copy_commit(); // also of nothing, to keep count
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
