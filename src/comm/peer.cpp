#include "peer.hpp"

#include <ridge/comm/push.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/exported.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/offer.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

namespace ridge::comm {

namespace {

/// The values of each rank, which may have different numbers of them.
template <class T>
std::vector<std::vector<T>> gather_all(Communicator& communicator, const std::vector<T>& mine) {
  const auto counts = communicator.gather(mine.size());
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<T> padded = mine;
  padded.resize(std::max<std::size_t>(most, 1));
  std::vector<T> all(padded.size() * counts.size());
  communicator.all_gather(padded.data(), padded.size() * sizeof(T), all.data());
  std::vector<std::vector<T>> parts;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(r * padded.size());
    parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(counts[r]));
  }
  return parts;
}

/// One message as its other end sees it.
struct End {
  int peer = 0;
  int tag = 0;
  std::int64_t bytes = 0;
  ExportedMemory data; ///< of what is received
};

/// Where what is sent, or received, as number `mine` has its other end: messages between two ranks
/// with one tag match in order.
std::size_t find_match(int rank, const std::vector<End>& mine, std::size_t number,
                       const std::vector<End>& theirs) {
  const End& end = mine[number];
  const auto same = [](const End& a, int peer, int tag) { return a.peer == peer && a.tag == tag; };
  auto before = std::count_if(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(number),
                              [&](const End& other) { return same(other, end.peer, end.tag); });
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (!same(theirs[i], rank, end.tag) || before-- > 0) continue;
    if (theirs[i].bytes == end.bytes) return i;
    throw Failure(fmt::format("a message of {} bytes on rank {} is one of {} on rank {}", end.bytes,
                              rank, theirs[i].bytes, end.peer));
  }
  throw Failure(fmt::format("a message on rank {} has no other end on rank {}", rank, end.peer));
}

class PeerMessages final : public BoundMessages {
public:
  PeerMessages(const Endpoint& at, const std::vector<Message>& sends,
               const std::vector<Message>& receives, const BindPush& push)
      : queue_(at.queue), rank_(at.ranks.rank()) {
    for (const Message& m : sends)
      check(m);
    for (const Message& m : receives)
      check(m);
    // Signals: of each receive that it has arrived, then of each send that its receiver is ready.
    const std::size_t count = receives.size() + sends.size();
    signals_ = zeroed<unsigned>(std::max<std::size_t>(count, 1));
    std::vector<End> out, in;
    for (const Message& m : sends)
      out.push_back({m.peer, m.tag, m.size.value, {}});
    for (const Message& m : receives)
      in.push_back({m.peer, m.tag, m.size.value, landing(m)});
    queue_.wait(); // others may signal from now on
    const auto all_out = gather_all(at.ranks, out);
    const auto all_in = gather_all(at.ranks, in);
    const auto signals = export_memory(queue_.device(), signals_.data());
    const auto all_signals = at.ranks.gather(signals.value_or(ExportedMemory{}));

    std::vector<PushedMessage> pushed;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const Message& m = sends[i];
      const auto peer = static_cast<std::size_t>(m.peer);
      const std::size_t other = find_match(rank_, out, i, all_in[peer]);
      const bool to_self = m.peer == rank_;
      void* const to = to_self ? landings_[other] : reach(all_in[peer][other].data);
      auto* const arrived = to_self ? signal(0) : static_cast<unsigned*>(reach(all_signals[peer]));
      const Index words = m.size.value / static_cast<Index>(sizeof(Word));
      pushed.push_back({{static_cast<const Word*>(m.data), words},
                        {static_cast<Word*>(to), words},
                        {signal(receives.size() + i), 1},
                        {arrived + other, 1}});
      longest = std::max(longest, m.size.value);
    }
    std::vector<AwaitedMessage> awaited;
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const auto peer = static_cast<std::size_t>(receives[i].peer);
      const std::size_t other = find_match(rank_, in, i, all_out[peer]);
      auto* const ready =
          receives[i].peer == rank_ ? signal(0) : static_cast<unsigned*>(reach(all_signals[peer]));
      awaited.push_back({{ready + all_in[peer].size() + other, 1}, {signal(i), 1}});
    }
    if (sends.empty() && receives.empty()) return;

    // As many blocks as keep a link busy. With a block on each multiprocessor, a march's would have
    // to wait for room (docs/design/ranks.md).
    constexpr std::int64_t bytes_of_block = 16 << 10;
    constexpr std::int64_t most_blocks = 64;
    const auto parts =
        std::clamp<std::int64_t>((longest + bytes_of_block - 1) / bytes_of_block, 1, most_blocks);
    state_ = zeroed<unsigned>(2 + sends.size());
    const PushCall call{
        listed(pushed, sends_),
        listed(awaited, receives_),
        {static_cast<unsigned*>(state_.data()), 2 + static_cast<Index>(sends.size())},
        static_cast<int>(parts)};
    queue_.wait();
    using Bind = Bound(Queue&, const PushCall&);
    launch_ = push ? push(queue_, call)
                   : offered<Bind>(queue_.device().kind(), typeid(MessagePusher*))(queue_, call);
  }
  ~PeerMessages() override {
    try {
      queue_.wait();
    } catch (const Failure&) { // what failed is said by who waits for it
    }
  }

  void begin() override {
    if (launch_) launch_.run();
  }
  void finish() override {
    for (const Copy& c : copies_)
      copy_bytes_on_device(queue_, c.to, c.from, c.bytes);
  }

private:
  struct Copy {
    void* to;
    const void* from;
    Bytes bytes;
  };

  static void check(const Message& m) {
    if (m.size.value % static_cast<Index>(sizeof(Word)) == 0 &&
        reinterpret_cast<std::uintptr_t>(m.data) % sizeof(Word) == 0)
      return;
    throw UsageError(fmt::format(
        "messages between GPUs begin at and have a multiple of four bytes, not {}", m.size.value));
  }
  template <class T>
  Memory zeroed(std::size_t count) {
    const Bytes bytes{static_cast<Index>(count * sizeof(T))};
    Memory memory(queue_.device(), bytes, "signals between GPUs");
    fill_bytes(queue_, memory.data(), 0, bytes);
    return memory;
  }
  /// `memory` holds what does not travel with a launch.
  template <class T>
  PushList<T> listed(const std::vector<T>& values, Memory& memory) {
    PushList<T> list;
    list.count = static_cast<int>(values.size());
    if (list.count <= PushList<T>::most_at_hand) {
      std::copy(values.begin(), values.end(), list.at_hand);
      return list;
    }
    const Index count = list.count;
    memory = Memory(queue_.device(), Bytes{count * static_cast<Index>(sizeof(T))}, "messages");
    copy_to_device(queue_, static_cast<T*>(memory.data()), values.data(), count);
    list.list = {static_cast<const T*>(memory.data()), count};
    return list;
  }
  unsigned* signal(std::size_t number) const {
    return static_cast<unsigned*>(signals_.data()) + number;
  }

  /// Where a message lands: in its place, or in memory of ours that a copy takes it from.
  ExportedMemory landing(const Message& m) {
    landings_.push_back(m.data);
    if (m.peer == rank_) return {};
    if (const auto exported = export_memory(queue_.device(), m.data)) return *exported;
    bounces_.emplace_back(queue_.device(), m.size, "messages to receive");
    landings_.back() = bounces_.back().data();
    copies_.push_back({m.data, bounces_.back().data(), m.size});
    return export_memory(queue_.device(), bounces_.back().data()).value_or(ExportedMemory{});
  }

  /// An allocation is reached once, however many messages go to it.
  void* reach(const ExportedMemory& memory) {
    auto found = std::find_if(reached_.begin(), reached_.end(),
                              [&](const auto& one) { return one.first == memory.handle; });
    if (found == reached_.end()) {
      reached_.emplace_back(memory.handle, ImportedMemory(queue_.device(), memory));
      found = reached_.end() - 1;
    }
    return static_cast<char*>(found->second.data()) + memory.offset;
  }

  Queue& queue_;
  int rank_;
  Memory signals_, state_, sends_, receives_;
  std::vector<void*> landings_;
  std::vector<Memory> bounces_;
  std::vector<Copy> copies_;
  std::vector<std::pair<decltype(ExportedMemory::handle), ImportedMemory>> reached_;
  Bound launch_;
};

/// Reaches a piece of memory of every other rank, as transfers will.
std::string try_to_reach(Communicator& communicator, const Device& device) {
  const Memory mine(device, Bytes{256}, "a test of memory between GPUs");
  const auto exported = export_memory(device, mine.data());
  const auto all = communicator.gather(exported.value_or(ExportedMemory{}));
  std::string problem;
  if (!exported) problem = "the driver shares no memory between processes";
  try {
    for (std::size_t r = 0; problem.empty() && r < all.size(); ++r) {
      if (static_cast<int>(r) != communicator.rank()) (void)ImportedMemory(device, all[r]);
    }
  } catch (const Failure& failure) {
    problem = failure.what();
  }
  communicator.barrier(); // nobody's memory goes before all have tried
  return problem;
}

std::string find_out(Communicator& communicator, const Device& device) {
  if (!facts_of(device).writes_to_peers)
    return fmt::format("{} devices do not write into each other's memory", facts_of(device).name);
  if (communicator.ranks() == 1) return {};
  char host[256] = "";
  (void)gethostname(host, sizeof(host) - 1);
  const auto hosts = communicator.gather_text(host);
  for (const std::string& other : hosts) {
    if (other != hosts.front()) return "ranks are on several machines";
  }
  for (const std::string& other : communicator.gather_text(try_to_reach(communicator, device))) {
    if (!other.empty()) return other;
  }
  return {};
}

} // namespace

std::string why_no_peer(Communicator& communicator, const Device& device) {
  static std::map<std::pair<const Communicator*, std::string>, std::string> known;
  const auto [at, is_new] = known.try_emplace({&communicator, to_text(device.id())});
  if (is_new) at->second = find_out(communicator, device);
  return at->second;
}

std::unique_ptr<BoundMessages> bind_peer(const Endpoint& at, const std::vector<Message>& sends,
                                         const std::vector<Message>& receives,
                                         const BindPush& push) {
  return std::make_unique<PeerMessages>(at, sends, receives, push);
}

} // namespace ridge::comm
