// Reductions of expressions as bodies of GPU kernels: each thread adds up some sites, or one
// component of them.
#pragma once

#include <ridge/lattice/accumulator.hpp>
#include <ridge/lattice/gpu/finish.hpp>
#include <ridge/lattice/gpu/site.hpp>
#include <ridge/lattice/subset.hpp>
#include <ridge/lattice/summand.hpp>
#include <ridge/lattice/variant.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

template <class S, SiteVariant V>
struct SiteReduce {
  static constexpr bool across = V.components == Components::threads;
  static constexpr int max_threads = V.bounds;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "lattice reduction of an expression";
  /// Sites under way at once, of those that load little.
  static constexpr int items = S::components > 2 ? 1 : 4;
  static constexpr int steps = across ? S::components : 1; ///< of a site
  static constexpr int own = (across ? 1 : S::keys) * S::parts;
  using A = typename S::template Accumulator<double>;
  /// Threads keep their sums to themselves, as each has one of many results.
  static constexpr bool apart = across && S::keys > 1;

  S summand;
  Geometry geometry;
  Subset subset;
  Index rows; ///< of nsimd threads, those that take part; a multiple of the keys where apart
  Span<double> partials;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const int l = lane.thread().x % geometry.nsimd;
    const Index row = Index{lane.block().x} * (lane.block_extent().x / geometry.nsimd) +
                      lane.thread().x / geometry.nsimd;
    A sums[own];
    RIDGE_UNROLL
    for (int k = 0; k < own; ++k)
      sums[k].clear();
    if (row < rows) add_rows(lane, row, l, sums);
    if constexpr (apart) {
      if (row >= rows) return;
      RIDGE_UNROLL
      for (int p = 0; p < S::parts; ++p)
        store_partial(lane, partials, (row * geometry.nsimd + l) * S::parts + p, sums[p]);
    } else {
      RIDGE_UNROLL
      for (int k = 0; k < own; ++k) {
        const A all = merge_block(lane, sums[k]);
        if (lane.thread().x == 0)
          store_partial(lane, partials, Index{lane.block().x} * own + k, all);
      }
    }
  }

private:
  /// To one sum, of a site.
  static constexpr int additions = across || S::keys > 1 ? 1 : S::components;

  template <class Lane>
  RIDGE_DEVICE void add_rows(const Lane& lane, Index row, int l, A* sums) const {
    const Index end = geometry.groups * steps;
    Index item = row;
    int taken = 0;
    const auto add_items = [&](auto count) {
      if ((taken += count * additions) > A::period) {
        RIDGE_UNROLL
        for (int k = 0; k < own; ++k)
          sums[k].settle();
        taken = count * additions;
      }
      RIDGE_UNROLL
      for (int i = 0; i < count; ++i)
        add(lane, item + i * rows, l, sums);
      item += count * rows;
    };
    while (item + (items - 1) * rows < end)
      add_items(std::integral_constant<int, items>{});
    if constexpr (items > 1) {
      while (item < end)
        add_items(std::integral_constant<int, 1>{});
    }
  }
  template <class Lane>
  RIDGE_DEVICE void add(const Lane& lane, Index item, int l, A* sums) const {
    const Index group = steps == 1 ? item : item / steps;
    const Site<Lane, sizeof(NumberOf<typename S::First>)> at(lane, geometry, {group, l});
    if (subset != Subset::all && at.is_even() != (subset == Subset::even)) return;
    if constexpr (chooses_sites<S>) {
      if (!summand.wants(at.coordinates())) return;
    }
    constexpr int count = across ? 1 : S::components; // of the components of a thread
    double terms[count * S::parts]; // all of them first, so that their loads are under way together
    RIDGE_UNROLL
    for (int c = 0; c < count; ++c) {
      const int component = across ? static_cast<int>(item - group * steps) : c;
      summand.template find<double>(at, component, terms + c * S::parts);
    }
    RIDGE_UNROLL
    for (int t = 0; t < count * S::parts; ++t)
      sums[S::keys > 1 ? t % own : t % S::parts].add(terms[t]);
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
