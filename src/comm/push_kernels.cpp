// Compiled once per kind of GPU.
#include <ridge/comm/push_frame.hpp>
#include <ridge/device/offer.hpp>

#include <cstdint>

namespace ridge::comm {

namespace {

/// Copies messages as they lie.
struct PushMessages {
  /// Few, so that a block finds room beside those of whatever else runs.
  static constexpr int max_threads = 128;
  static constexpr const char* name = "pushing messages";

  template <class Lane>
  RIDGE_DEVICE void store(Lane& lane, const PushCall& call, int message, int part) const {
    const PushedMessage m = call.sends.at(lane, message);
    const auto place =
        reinterpret_cast<std::uintptr_t>(m.from.data) | reinterpret_cast<std::uintptr_t>(m.to.data);
    const Index stride = Index{call.parts} * max_threads;
    const Index first = Index{part} * max_threads + lane.rank();
    if (place % 16 == 0 && m.from.size % 4 == 0) {
      copy_packs<4>(lane, m, first, stride);
    } else if (place % 8 == 0 && m.from.size % 2 == 0) {
      copy_packs<2>(lane, m, first, stride);
    } else {
      copy_packs<1>(lane, m, first, stride);
    }
  }

private:
  /// Packs of N words, of each thread several at a time: what is under way hides the way.
  template <int N, class Lane>
  RIDGE_DEVICE void copy_packs(Lane& lane, const PushedMessage& m, Index first,
                               Index stride) const {
    constexpr int at_a_time = 4;
    const Index packs = m.from.size / N;
    Index i = first;
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
  return bind_push(queue, call, PushMessages{});
}

const Offer pushes(kind_of<Here>, typeid(MessagePusher*), &bind);

} // namespace

} // namespace ridge::comm
