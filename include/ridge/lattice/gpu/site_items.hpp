// Site loops as bodies of GPU kernels.
#pragma once

#include <ridge/lattice/gpu/site.hpp>
#include <ridge/lattice/store_expression.hpp>
#include <ridge/lattice/subset.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Calls `kernel(site, part)` for `parts` parts of every site: 1, or its components across threads.
template <class K, int Bounds, int Bytes>
struct SiteLoop {
  static constexpr int max_threads = Bounds;
  static constexpr const char* name = "lattice site loop";
  K kernel;
  Geometry geometry;
  int parts, items;
  Subset subset;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const int rows = lane.block_extent().x / geometry.nsimd;
    const int l = lane.thread().x % geometry.nsimd;
    const Index end = geometry.groups * parts;
    Index item = Index{lane.block().x} * rows * items + lane.thread().x / geometry.nsimd;
    for (int i = 0; i < items && item < end; ++i, item += rows) {
      const Index group = parts == 1 ? item : item / parts;
      const Site<Lane, Bytes> at(lane, geometry, {group, l});
      if (subset != Subset::all && at.is_even() != (subset == Subset::even)) continue;
      if constexpr (chooses_sites<K>) {
        if (!kernel.wants(at.coordinates())) continue;
      }
      kernel(at, static_cast<int>(item - group * parts));
    }
  }
};

/// A kernel of whole sites as one of parts.
template <class K>
struct Whole {
  K kernel;
  template <class At>
  RIDGE_FN void operator()(const At& at, int /*part*/) const {
    kernel(at);
  }
  RIDGE_FN bool wants(const Coordinates& x) const requires chooses_sites<K> {
    return kernel.wants(x);
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
