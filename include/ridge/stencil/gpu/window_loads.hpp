// Loads of a lane of a marching block where lanes load planes themselves: one is on its way in
// registers while another is computed, and goes from there to shared memory.
#pragma once

#include <ridge/stencil/gpu/shared_pack.hpp>
#include <ridge/stencil/gpu/window_reach.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// The value, which is waited for here. Without this the compiler for AMD GPUs waits later, for
/// stores that come between as well.
template <class T, int N>
RIDGE_DEVICE Pack<T, N> arrived(Pack<T, N> value) {
#if defined(__AMDGCN__)
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    asm volatile("" : "+v"(value.lane[i]));
#endif
  return value;
}

template <class K, class T, MarchVariant M>
class WindowLoads : WindowReach<K, T, WindowTile<K, T, M, false>> {
public:
  using Tile = WindowTile<K, T, M, false>;
  using Reach = WindowReach<K, T, Tile>;
  using Own = typename Tile::Own;
  using Value = typename Tile::Value;
  using Place = typename Tile::Place;
  using Reach::Reach;

  /// Before the unit's first plane.
  template <class Lane, class Planes, class Also>
  RIDGE_DEVICE void begin(Lane& lane, const Call<K, T>& call, Planes& planes, Own& column,
                          Place& place, const Also& /*also*/) {
    ask(lane, call, 0);
    take(lane, planes, column, place);
  }
  /// Before the barrier that begins plane `k`, and behind it.
  template <class Lane>
  RIDGE_DEVICE void arrive(Lane& /*lane*/) const {}
  template <class Lane, class Planes, class Also>
  RIDGE_DEVICE void begin_plane(Lane& lane, const Call<K, T>& call, Planes& /*planes*/,
                                Own& /*column*/, Place& /*place*/, int k, const Also& /*also*/) {
    ask(lane, call, k + 1);
  }
  /// After its results are computed, before they are stored: AMD GPUs would wait for these, too.
  template <class Lane, class Planes>
  RIDGE_DEVICE void end_plane(Lane& lane, Planes& planes, Own& column, Place& place) const {
    place.advance();
    take(lane, planes, column, place);
  }

private:
  using Reach::around, Reach::some, Reach::vector;

  template <class Lane>
  RIDGE_DEVICE void ask(Lane& lane, const Call<K, T>& call, int k) {
    if (!this->has_plane(k)) return;
    const auto load = [&](auto input, Value& value, Index at) {
      value = lane.template load_pack<vector>(call.in[input].elements(), at);
    };
    const auto load_end = [&](auto input, Value& value, Index at) {
      const View<const T>& field = call.in[input];
      this->each_left(field, at,
                      [&](int i, Index from) { value.set(i, lane.load(field.elements(), from)); });
    };
    this->visit(
        call, k, [&](auto input, auto row, Index at) { load(input, fresh_[input][row], at); },
        [&](auto input, auto row, Index at) { load_end(input, fresh_[input][row], at); },
        [&](auto input, auto pass, Index at) { load(input, halo_[input][pass], at); },
        [&](auto input, auto pass, Index at) { load_end(input, halo_[input][pass], at); });
  }

  /// Takes what has arrived: into the lane's column, and for all into shared memory.
  template <class Lane, class Planes>
  RIDGE_DEVICE void take(Lane& lane, Planes& planes, Own& column, const Place& place) const {
    unrolled<Tile::inputs>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      constexpr PlaneRange own = Tile::template own<i>;
      unrolled<M.tile>([&](auto row) { column.push(input, row, arrived(fresh_[i][row])); });
      if constexpr (Tile::template reads<i>.beside) {
        const int stage = place.stage(Tile::newest) + Tile::shared_before(i) * Tile::plane_elements;
        unrolled<M.tile>([&](auto row) {
          store_shared_pack(lane, planes, stage + place.at(row),
                            column.plane[i][Tile::newest - own.low][row]);
        });
        unrolled<Reach::around>([&](auto pass) {
          const int to = anew(this->around_to(pass));
          if (to >= 0) store_shared_pack(lane, planes, stage + to, halo_[i][pass]);
        });
      }
    });
  }

  Value fresh_[Tile::inputs][M.tile]; ///< the newest plane of the lane's column
  Value halo_[Tile::inputs][some];    ///< around the newest plane in shared memory
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
