// Nodes and bodies as targets of a walk on a GPU meet them, from the targets' `origin` on.
#pragma once

#include <ridge/pairs/gpu/bodies.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/spatial/items.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

template <int Order, class P, class Lane>
RIDGE_DEVICE Body<P, FarOf<Order>::sources> node_source(const Lane& lane, const TreeWalk<P>& w,
                                                        std::uint32_t node,
                                                        const typename P::Stored* origin) {
  using T = typename P::Computed;
  Body<P, FarOf<Order>::sources> source;
  const auto centre = spatial::load_four(lane, w.tree.centres, 4 * Index{node});
  RIDGE_UNROLL
  for (int c = 0; c < 3; ++c)
    source.at[c] = Value<P>(static_cast<T>(centre.at[c] - origin[c]));
  source.at[3] = Value<P>(static_cast<T>(centre.at[3]));
  if constexpr (Order >= 2) {
    const auto some = spatial::load_four(lane, w.tree.moments, 8 * Index{node});
    const auto more = spatial::load_four(lane, w.tree.moments, 8 * Index{node} + 4);
    RIDGE_UNROLL
    for (int c = 0; c < 4; ++c)
      source.at[4 + c] = Value<P>(some.at[c]);
    source.at[8] = Value<P>(more.at[0]);
    source.at[9] = Value<P>(-static_cast<T>(w.softening_squared) * more.at[1]);
  }
  constexpr auto higher = static_cast<int>(spatial::higher_numbers(Order));
  RIDGE_UNROLL
  for (int part = 0; part < higher / 4; ++part) {
    const auto some = spatial::load_four(lane, w.tree.higher, higher * Index{node} + 4 * part);
    RIDGE_UNROLL
    for (int k = 0; k < 4; ++k) {
      const int c = place_of_higher(4 * part + k);
      if (c < 0 || c >= FarOf<Order>::sources) continue;
      source.at[c] = Value<P>(is_of_softening(c) ? -static_cast<T>(w.softening_squared) * some.at[k]
                                                 : some.at[k]);
    }
  }
  return source;
}

template <class P, class Lane>
RIDGE_DEVICE Body<P, 4> body_source(const Lane& lane, const TreeWalk<P>& w, std::uint32_t body,
                                    const typename P::Stored* origin) {
  using T = typename P::Computed;
  const auto from = spatial::load_four(lane, w.tree.sorted, 4 * Index{body});
  Body<P, 4> source;
  RIDGE_UNROLL
  for (int c = 0; c < 3; ++c)
    source.at[c] = Value<P>(static_cast<T>(from.at[c] - origin[c]));
  source.at[3] = Value<P>(static_cast<T>(from.at[3]));
  return source;
}

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
