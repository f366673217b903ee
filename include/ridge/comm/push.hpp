// Messages that a GPU stores into the memory of the GPU that they are for: what one launch takes.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/launch/bound.hpp>

#include <cstdint>

namespace ridge::comm {

using Word = std::uint32_t;

/// A message to one rank: from here to its memory.
struct PushedMessage {
  Span<const Word> from;
  Span<Word> to;
  Span<unsigned> ready;   ///< here: the receiver says that it may be overwritten
  Span<unsigned> arrived; ///< there: what says that it has arrived
};

/// A message from one rank.
struct AwaitedMessage {
  Span<unsigned> ready;   ///< there
  Span<unsigned> arrived; ///< here
};

/// As many of these as most launches take travel with the launch: a list in memory is read later.
template <class T>
struct PushList {
  static constexpr int most_at_hand = 26; ///< the directions of a field
  T at_hand[most_at_hand] = {};
  Span<const T> list; ///< of all, where there are more
  int count = 0;

  template <class Lane>
  [[nodiscard]] RIDGE_DEVICE T at(Lane& lane, int i) const {
    return count <= most_at_hand ? at_hand[i] : lane.load_written(list, i);
  }
};

/// Signals count launches: the first has 1 in all of them.
struct PushCall {
  PushList<PushedMessage> sends;
  PushList<AwaitedMessage> receives;
  /// The launches that are over; the blocks of this one that are; for each message, its blocks that
  /// are. Zero at first.
  Span<unsigned> state;
  int parts = 1; ///< blocks for each message
};

/// Names what modules of kinds that write to peers offer: `Bound(Queue&, const PushCall&)`. A
/// launch says that received messages may be overwritten, writes those that are sent as soon as
/// their receivers have said the same, and ends when all that is received has arrived.
struct MessagePusher;

} // namespace ridge::comm
