// Compiled once per kind of GPU.
#include <ridge/comm/push.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/device/offer.hpp>

#include <cstdint>

namespace ridge::comm {

namespace {

/// A row of the grid for each message that is sent; the last block to end waits for what comes.
struct PushMessages {
  /// Few, so that a block finds room beside those of whatever else runs.
  static constexpr int max_threads = 128;
  static constexpr const char* name = "pushing messages";

  PushCall call;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const unsigned launch = lane.load_relaxed(call.state, 0) + 1;
    const int message = lane.block().y;
    const int part = lane.block().x;
    if (message == 0 && part == 0) {
      for (int i = lane.rank(); i < call.receives.count; i += max_threads)
        lane.signal(call.receives.at(lane, i).ready, 0, launch);
    }
    if (message < call.sends.count) {
      const PushedMessage m = call.sends.at(lane, message);
      if (lane.rank() == 0) lane.await(m.ready, 0, launch);
      lane.barrier();
      copy(lane, m, part);
      lane.barrier();
      if (lane.rank() == 0 && is_whole(lane, message)) lane.signal(m.arrived, 0, launch);
    }
    const auto last = lane.template shared<int>(0, 1);
    if (lane.rank() == 0)
      last[0] = count_to(lane, 1, lane.grid_extent().x * lane.grid_extent().y) ? 1 : 0;
    lane.barrier();
    if (last[0] == 0) return;
    for (int i = lane.rank(); i < call.receives.count; i += max_threads)
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

  template <class Lane>
  RIDGE_DEVICE void copy(Lane& lane, const PushedMessage& m, int part) const {
    const auto place =
        reinterpret_cast<std::uintptr_t>(m.from.data) | reinterpret_cast<std::uintptr_t>(m.to.data);
    if (place % 16 == 0 && m.from.size % 4 == 0) {
      copy_packs<4>(lane, m, part);
    } else if (place % 8 == 0 && m.from.size % 2 == 0) {
      copy_packs<2>(lane, m, part);
    } else {
      copy_packs<1>(lane, m, part);
    }
  }

  /// Packs of N words, of each thread several at a time: what is under way hides the way.
  template <int N, class Lane>
  RIDGE_DEVICE void copy_packs(Lane& lane, const PushedMessage& m, int part) const {
    constexpr int at_a_time = 4;
    const Index packs = m.from.size / N;
    const Index stride = Index{call.parts} * max_threads;
    Index i = Index{part} * max_threads + lane.rank();
    for (; i + (at_a_time - 1) * stride < packs; i += at_a_time * stride) {
      Pack<Word, N> values[at_a_time];
      for (int k = 0; k < at_a_time; ++k)
        values[k] = load<N>(lane, m, i + k * stride);
      for (int k = 0; k < at_a_time; ++k)
        lane.store(m.to, (i + k * stride) * N, values[k]);
    }
    for (; i < packs; i += stride)
      lane.store(m.to, i * N, load<N>(lane, m, i));
  }
  template <int N, class Lane>
  RIDGE_DEVICE Pack<Word, N> load(Lane& lane, const PushedMessage& m, Index pack) const {
    return lane.template load_pack<N>(m.from, pack * N);
  }
};

Bound bind(Queue& queue, const PushCall& call) {
  const int rows = call.sends.count > 0 ? call.sends.count : 1;
  const LaunchShape shape{
      {call.parts, rows, 1}, {PushMessages::max_threads, 1, 1}, static_cast<int>(sizeof(int))};
  return Bound(Ready<PushMessages>(queue, shape, {call}));
}

const Offer pushes(kind_of<Here>, typeid(MessagePusher*), &bind);

} // namespace

} // namespace ridge::comm
