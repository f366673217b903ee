// How kernel sources copy boxes: threads of a cpu share each of them, on a GPU each has a row of
// blocks. `Copies` has `boxes`, `count` of them, and a packed `buffer`.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>
#include <ridge/launch/bound.hpp>

#include <algorithm>

#if defined(RIDGE_TARGET_CPU)

#include <ridge/device/cpu/parallel.hpp>

namespace ridge::comm::inline RIDGE_TARGET_NAME {

/// `copy(copies, box, share)` for a share of the `items(box)` of each box; by one thread where it
/// takes less time than waking the others.
template <class Copies, class Items, class Copy>
Bound bind_box_copies(const Copies& copies, const Items& items, const Copy& copy) {
  constexpr Index worth_threads = 256 << 10; // bytes
  const Index bytes = copies.buffer.size * static_cast<Index>(sizeof *copies.buffer.data);
  const int threads = bytes < worth_threads ? 1 : cpu::default_threads();
  return Bound([copies, items, copy, threads] {
    cpu::run(threads, [&](int thread, int team) {
      for (int b = 0; b < copies.count; ++b)
        copy(copies, copies.boxes[b], cpu::share_of(items(copies.boxes[b]), thread, team));
    });
  });
}

} // namespace ridge::comm::inline RIDGE_TARGET_NAME

#elif defined(RIDGE_TARGET_GPU)

#include <ridge/device/launch.hpp>

namespace ridge::comm::inline RIDGE_TARGET_NAME {

/// A body whose threads walk over the `items(box)` of the box of their block's y.
template <class Body, class Copies, class Items>
Bound bind_box_copies(Queue& queue, const Copies& copies, const Items& items) {
  constexpr Index block = Body::max_threads;
  Index most = 1;
  for (int b = 0; b < copies.count; ++b)
    most = std::max<Index>(most, items(copies.boxes[b]));
  const int blocks = static_cast<int>(std::min<Index>(ceil_div(most, block), 1 << 12));
  const LaunchShape shape{{blocks, copies.count, 1}, {static_cast<int>(block), 1, 1}, 0};
  return Bound(Ready<Body>(queue, shape, {copies}));
}

} // namespace ridge::comm::inline RIDGE_TARGET_NAME

#endif
