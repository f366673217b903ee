// Messages between devices of ranks: packed, carried and unpacked, as often as asked. A planner
// lists what a rank sends and receives; the rest is the transfer's.
//
//   ridge::comm::Phase faces;
//   faces.sends.push_back({nullptr, size, above, 0});      // from a buffer, which a launch fills
//   faces.pack("faces", [&](ridge::Queue& queue, void* buffer) { return bind(queue, buffer); });
//   faces.receives.push_back({ghosts, size, below, 0});    // received where it belongs
//   ridge::comm::Transfer transfer({ranks, queue}, {faces}, ridge::comm::Travels::beside);
//
//   transfer.begin();    // work that reads nothing of other ranks may be given to the queue now
//   transfer.finish();   // and here what does
//
// Or, so that work on what is sent and received runs beside the rest of it, too:
//
//   transfer.fork();     // transfer.queue() now waits for the work given to the queue so far
//   transfer.send();     // what work given to transfer.queue() has made by now
//   transfer.receive();  // work given to transfer.queue() after it sees what came
//   transfer.join();     // and work given to the queue all of that
//
// Work that reads nothing of other ranks goes to the queue between fork and send; send_beside says
// when.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/launch/bound.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ridge::comm {

struct PushCall; // ridge/comm/push.hpp

/// Messages that travel together. Those without memory lie in buffers.
struct Phase {
  /// Binds the launch that copies messages to a buffer, where they follow each other, or from it.
  using Copies = std::function<Bound(Queue& queue, void* buffer)>;
  struct Bundle {
    std::size_t end;  ///< of its messages: all without memory before, but other bundles'
    const char* what; ///< named where memory is short
    Copies copies;
  };
  std::vector<Message> sends = {}, receives = {};
  std::vector<Bundle> packed = {}, unpacked = {};

  /// One launch packs, or unpacks, the messages without memory that have been added since the last.
  void pack(const char* what, Copies copies) {
    packed.push_back({sends.size(), what, std::move(copies)});
  }
  void unpack(const char* what, Copies copies) {
    unpacked.push_back({receives.size(), what, std::move(copies)});
  }
};

/// Binds the launch that stores messages where they go, of the carrier `peer`, where it is not one
/// that copies them as they lie. Their memory is then what it begins to read, and what it begins to
/// store to.
using BindPush = std::function<Bound(Queue& queue, const PushCall& call)>;

enum class Travels {
  in_order, ///< on the queue of the endpoint
  beside    ///< on a queue of its own: a GPU begins with what is on it before what is on others
};

/// Phases of messages, bound once. What it does is collective. Where the carrier needs no host, it
/// only gives work to queues.
class Transfer {
public:
  /// Sends nothing.
  Transfer();
  /// The endpoint's queue and communicator, and all memory of messages, must outlive it.
  Transfer(const Endpoint& at, Phase messages);
  /// Each phase begins when the one before has ended, so that it may send what came in that.
  Transfer(const Endpoint& at, std::vector<Phase> phases, Travels travels);
  Transfer(const Endpoint& at, Phase messages, Travels travels, const BindPush& push);
  ~Transfer();
  Transfer(Transfer&& other) noexcept;
  Transfer& operator=(Transfer&& other) noexcept;
  /// True where it has phases; run, begin and finish do nothing where it has none.
  explicit operator bool() const;

  /// Packs and sends what work given to the queue so far has made.
  void begin() {
    if (!*this) return;
    fork();
    send();
  }
  /// Lets messages go on that need the host for it, between pieces of work on the host.
  void advance();
  /// Work given to the queue after it sees what came.
  void finish() {
    if (!*this) return;
    receive();
    join();
  }
  void run() {
    begin();
    finish();
  }

  /// Calls `work`, which gives the queue what reads nothing of other ranks, and then `send`, which
  /// gives what other ranks wait for to the queue of the messages and sends it; where messages need
  /// the host, the other way round. A GPU puts blocks where there is room, and a launch whose
  /// blocks were put around those of another stays slower all its way (docs/design/ranks.md): so
  /// the largest begins first.
  template <class Work, class Send>
  void send_beside(const Work& work, const Send& send) {
    if (!can_be_recorded()) {
      send();
      work();
      return;
    }
    work();
    give_way();
    send();
  }

  /// The queue of the messages.
  [[nodiscard]] Queue& queue();
  void fork();
  /// Forks behind a launch of its own: what a graph begins with begins in any order.
  void fork_first();
  /// Work given to the queue between fork and this begins before what the queue of the messages is
  /// given next.
  void give_way();
  void send();
  void receive();
  void join();
  /// One phase alone, for work between phases.
  void send(std::size_t phase);
  void receive(std::size_t phase);

  /// Bytes that this rank sends, and messages.
  [[nodiscard]] Bytes sent() const;
  [[nodiscard]] int messages() const;
  [[nodiscard]] Carrier carrier() const;
  /// Whether it may be recorded in a graph of the queue.
  [[nodiscard]] bool can_be_recorded() const { return needs_no_host(carrier()); }

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Memory that a message is made of.
struct Piece {
  void* data;
  Bytes size;

  template <class T>
  static Piece of(const T* data, Index count) {
    return {const_cast<T*>(data), Bytes{count * static_cast<Index>(sizeof(T))}};
  }
};
using Pieces = std::vector<Piece>;
using PiecesOf = std::function<Pieces(int rank)>;

/// Pieces out(r) to each other rank r, and in(r) from it. Their numbers are tags, and a piece is
/// as large on both ranks; those without bytes are not sent.
[[nodiscard]] Phase all_to_all(const Communicator& ranks, const PiecesOf& out, const PiecesOf& in);
/// Pieces of each rank to all others: where this rank has its own, and where others' go.
[[nodiscard]] Phase to_all(const Communicator& ranks, const PiecesOf& pieces);

} // namespace ridge::comm
