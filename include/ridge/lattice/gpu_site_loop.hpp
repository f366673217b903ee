// Site loops on GPUs: the lanes of a group are neighbouring threads.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/gpu_block.hpp>
#include <ridge/lattice/gpu_site.hpp>
#include <ridge/lattice/site_loop.hpp>

#include <climits>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

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
      kernel(at, static_cast<int>(item - group * parts));
    }
  }
};

/// A kernel is compiled for `most` threads of a block, other bounds are refused. Bytes: as of Site.
template <int most, int Bytes = 0, class K>
void loop(Queue& queue, const Geometry& g, const K& kernel, int parts, Subset subset,
          const GpuSchedule& s) {
  if (s.bounds != most) {
    throw UsageError("expressions with components=" + text::value_to_text(s.components) +
                     " are compiled for bounds=" + std::to_string(most));
  }
  const int threads = block_threads(s, g, most);
  const Index blocks = ceil_div(g.groups * parts, Index{s.groups} * s.items);
  if (blocks > INT_MAX) {
    throw UsageError("groups=" + std::to_string(s.groups) + " items=" + std::to_string(s.items) +
                     " make too many blocks for this lattice");
  }
  launch_body(queue, {{static_cast<int>(blocks), 1, 1}, {threads, 1, 1}, 0},
              SiteLoop<K, most, Bytes>{kernel, g, parts, s.items, subset});
}

/// The launch bounds that a site kernel is compiled for: its own `Bounds`, or 256 threads.
template <class K>
constexpr auto bounds_of() {
  if constexpr (requires { typename K::Bounds; }) {
    return typename K::Bounds{};
  } else {
    return Choices<256>{};
  }
}

/// A kernel of whole sites as one of parts.
template <class K>
struct Whole {
  K kernel;
  template <class At>
  RIDGE_FN void operator()(const At& at, int /*part*/) const {
    kernel(at);
  }
};

} // namespace gpu::inline RIDGE_TARGET_NAME

/// Runs `kernel` at the sites of a lattice as the field `like` lies, in queue order.
template <class Target, class S, class K>
void for_each_site(Queue& queue, const SiteView<S>& like, const K& kernel,
                   Subset subset = Subset::all, const std::optional<Schedule>& schedule = {}) {
  static_assert(std::is_same_v<Target, Here>, "site loops are for kernel sources and their Here");
  auto s = detail::schedule_of<GpuSchedule>(queue.device(), schedule,
                                            shape_of<std::remove_const_t<S>>(), like.geometry);
  if (!schedule) s.bounds = 256;
  const bool compiled = choose(s.bounds, gpu::bounds_of<K>(), [&](auto bounds) {
    gpu::loop<decltype(bounds)::value>(queue, like.geometry, gpu::Whole<K>{kernel}, 1, subset, s);
  });
  if (!compiled) throw UsageError("this site kernel is compiled for bounds=256 only");
}

} // namespace ridge::lattice
