// Loads of a lane of a marching block where the GPU copies into shared memory by itself: several
// planes are on their way at a time, and take no registers.
#pragma once

#include <ridge/stencil/gpu/window_reach.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// As WindowLoads.
template <class K, class T, MarchVariant M>
class WindowCopies : WindowReach<K, T, WindowTile<K, T, M, true>> {
public:
  using Tile = WindowTile<K, T, M, true>;
  using Reach = WindowReach<K, T, Tile>;
  using Own = typename Tile::Own;
  using Place = typename Tile::Place;
  using Reach::Reach;

  /// `also(k)` asks for what else is to come with plane `k`.
  template <class Lane, class Planes, class Also>
  RIDGE_DEVICE void begin(Lane& lane, const Call<K, T>& call, Planes& planes, Own& /*column*/,
                          Place& place, Also&& also) {
    for (int k = 0; k < Tile::ahead; ++k) {
      also(k);
      ask(lane, call, planes, place, k, place.stage_after(k + 1));
    }
  }
  template <class Lane>
  RIDGE_DEVICE void arrive(Lane& lane) const {
    lane.template copy_wait<Tile::ahead - 1>();
  }
  template <class Lane, class Planes, class Also>
  RIDGE_DEVICE void begin_plane(Lane& lane, const Call<K, T>& call, Planes& planes, Own& column,
                                Place& place, int k, Also&& also) {
    place.advance();
    also(k + Tile::ahead);
    ask(lane, call, planes, place, k + Tile::ahead, place.stage_after(Tile::ahead));
    unrolled<Tile::inputs>([&](auto input) {
      const int stage = place.stage(Tile::newest) + input * Tile::plane_elements;
      unrolled<M.tile>([&](auto row) {
        column.push(input, row,
                    lane.template load_shared_pack<vector>(planes, stage + place.at(row)));
      });
    });
  }
  template <class Lane, class Planes>
  RIDGE_DEVICE void end_plane(Lane& /*lane*/, Planes& /*planes*/, Own& /*column*/,
                              Place& /*place*/) const {}

private:
  using Reach::vector;

  /// Begins to copy plane `k`. Without one, too, a group of copies is closed, to keep count.
  template <class Lane, class Planes>
  RIDGE_DEVICE void ask(Lane& lane, const Call<K, T>& call, Planes& planes, const Place& place,
                        int k, int stage) {
    if (this->has_plane(k)) {
      const auto copy = [&](auto input, int to, Index at) {
        lane.template copy_async<vector>(planes, stage + input * Tile::plane_elements + to,
                                         Span<const T>(call.in[input].elements()), at);
      };
      const auto copy_end = [&](auto input, int to, Index at) {
        const View<const T>& field = call.in[input];
        this->each_left(field, at, [&](int i, Index from) {
          planes[stage + input * Tile::plane_elements + to + i] = lane.load(field.elements(), from);
        });
      };
      this->visit(
          call, k, [&](auto input, auto row, Index at) { copy(input, place.at(row), at); },
          [&](auto input, auto row, Index at) { copy_end(input, place.at(row), at); },
          [&](auto input, auto pass, Index at) { copy(input, this->around_to(pass), at); },
          [&](auto input, auto pass, Index at) {
            if (this->around_to(pass) >= 0) copy_end(input, this->around_to(pass), at);
          });
    }
    lane.copy_commit();
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
