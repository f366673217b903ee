// Running a GPU kernel body with a lane for each item of a row.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/device/launch.hpp>

namespace ridge::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_GPU)
/// The item of a lane in a launch by launch_items; those of the last block may be beyond the end.
template <class Body, class Lane>
RIDGE_DEVICE Index item_of(const Lane& lane) {
  return Index{lane.block().x} * Body::max_threads + lane.rank();
}

/// Gives `body` to the queue with a lane for each item, in blocks of `Body::max_threads`. Without
/// items it gives nothing.
template <class Body>
void launch_items(Queue& queue, Index items, const Body& body) {
  constexpr int block = Body::max_threads;
  if (items == 0) return;
  const auto blocks = static_cast<int>(ceil_div(items, Index{block}));
  launch_body(queue, {{blocks, 1, 1}, {block, 1, 1}, 0}, body);
}
#endif

} // namespace ridge::inline RIDGE_TARGET_NAME
