// Halo exchange: the points around what a rank owns, from the ranks that own them.
//
//   ridge::comm::Exchange exchange(communicator, queue, grid, {{memory_of(view), origin, reach}});
//   exchange.begin();    // work that reads no halo may be given to the queue now
//   exchange.finish();   // and here what does
//
// Or, so that work on the halos runs beside the rest of it, too:
//
//   exchange.fork();     // exchange.queue() now waits for the work given to the queue so far
//   exchange.send();     // what work given to exchange.queue() has made by now
//   exchange.receive();  // work given to exchange.queue() after it sees the halos
//   exchange.join();     // and work given to the queue all of that
//
// Work that needs no halo goes to the queue between fork and send; send_beside says when.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/comm/copy_boxes.hpp>
#include <ridge/comm/grid.hpp>

#include <memory>
#include <vector>

namespace ridge::comm {

/// A field of any kind, padded by halos: its memory, and what is needed around the points owned.
struct PaddedField {
  FieldMemory memory;
  Index3 origin; ///< of the memory's first point, in coordinates of the whole field
  Reach reach;
};

/// An exchange of fields, bound once. Its messages travel on a queue of their own; boxes that lie
/// in one piece of memory are sent from where they are and received there. Collective; begin and
/// finish too.
class Exchange {
public:
  /// The queue and the fields must outlive it. Throws UsageError where a field does not hold the
  /// points that its reach asks for.
  Exchange(Communicator& communicator, Queue& queue, const Grid& grid,
           std::vector<PaddedField> fields);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Packs and sends what work given to the queue so far has made.
  void begin() {
    fork();
    send();
  }
  /// Lets messages go on that need the host for it, between pieces of work on the host.
  void advance();
  /// Work given to the queue after it sees the halos.
  void finish() {
    receive();
    join();
  }

  /// Calls `work`, which gives the queue what needs no halo, and then `send`, which gives what
  /// other ranks wait for to the queue of the messages and sends it; where messages need the host,
  /// the other way round. A GPU puts blocks where there is room, and a launch whose blocks were put
  /// around those of another stays slower all its way (docs/design/ranks.md): so the largest begins
  /// first.
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

  /// The queue of the messages: a GPU begins with what is on it before what is on others.
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

  /// Bytes that this rank sends, and messages.
  [[nodiscard]] Bytes sent() const;
  [[nodiscard]] int messages() const;
  [[nodiscard]] Carrier carrier() const;
  /// Whether begin and finish may be recorded in a graph of the queue.
  [[nodiscard]] bool can_be_recorded() const { return needs_no_host(carrier()); }

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::comm
