// The signals around messages that a GPU stores where they go, for kernel sources: they say what of
// a message a block stores.
#pragma once

#include <ridge/comm/push.hpp>
#include <ridge/device/launch.hpp>

namespace ridge::comm::inline RIDGE_TARGET_NAME {

/// A row of the grid for each message that is sent; the last block to end waits for what comes.
/// `Stores` has `max_threads`, `name` and store(lane, call, message, part), of one of call.parts.
template <class Stores>
struct PushFrame {
  static constexpr int max_threads = Stores::max_threads;
  static constexpr const char* name = Stores::name;

  PushCall call;
  Stores stores;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const unsigned launch = lane.load_relaxed(call.state, 0) + 1;
    const int message = lane.block().y;
    const int part = lane.block().x;
    const int threads = lane.block_extent().x;
    if (message == 0 && part == 0) {
      for (int i = lane.rank(); i < call.receives.count; i += threads)
        lane.signal(call.receives.at(lane, i).ready, 0, launch);
    }
    if (message < call.sends.count) {
      const PushedMessage m = call.sends.at(lane, message);
      if (lane.rank() == 0) lane.await(m.ready, 0, launch);
      lane.barrier();
      stores.store(lane, call, message, part);
      lane.barrier();
      if (lane.rank() == 0 && is_whole(lane, message)) lane.signal(m.arrived, 0, launch);
    }
    const auto last = lane.template shared<int>(0, 1);
    if (lane.rank() == 0)
      last[0] = count_to(lane, 1, lane.grid_extent().x * lane.grid_extent().y) ? 1 : 0;
    lane.barrier();
    if (last[0] == 0) return;
    for (int i = lane.rank(); i < call.receives.count; i += threads)
      lane.await(call.receives.at(lane, i).arrived, 0, launch);
    lane.barrier();
    if (lane.rank() == 0) lane.store(call.state, 0, launch);
  }

private:
  /// Whether all blocks have written their parts of a message; what they wrote comes before the
  /// signal then.
  template <class Lane>
  RIDGE_DEVICE bool is_whole(Lane& lane, int message) const {
    if (call.parts == 1) return true;
    lane.fence_system();
    return count_to(lane, 2 + message, call.parts);
  }
  /// Whether so many have now come here, this one too; the next begin again at none.
  template <class Lane>
  RIDGE_DEVICE bool count_to(Lane& lane, int counter, int all) const {
    if (lane.atomic_add(call.state, counter, 1U) + 1 != static_cast<unsigned>(all)) return false;
    lane.store(call.state, counter, 0U);
    return true;
  }
};

/// `call.parts` blocks of `threads` for each message.
template <class Stores>
[[nodiscard]] Bound bind_push(Queue& queue, const PushCall& call, const Stores& stores,
                              int threads = Stores::max_threads) {
  using Body = PushFrame<Stores>;
  const int rows = call.sends.count > 0 ? call.sends.count : 1;
  const LaunchShape shape{{call.parts, rows, 1}, {threads, 1, 1}, static_cast<int>(sizeof(int))};
  return Bound(Ready<Body>(queue, shape, {call, stores}));
}

} // namespace ridge::comm::inline RIDGE_TARGET_NAME
