// Halo exchange: the points around what a rank owns, from the ranks that own them.
//
//   ridge::comm::Exchange exchange(communicator, queue, grid, {{memory_of(view), origin, reach}});
//   exchange.begin();    // work that reads no halo may be given to the queue now
//   exchange.finish();   // and here what does
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
  void begin();
  /// Lets messages go on that need the host for it, between pieces of work on the host.
  void advance();
  /// Work given to the queue after it sees the halos.
  void finish();

  /// Bytes that this rank sends, and messages.
  [[nodiscard]] Bytes sent() const;
  [[nodiscard]] int messages() const;
  [[nodiscard]] Carrier carrier() const;
  /// Whether begin and finish may be recorded in a graph of the queue.
  [[nodiscard]] bool can_be_recorded() const { return carrier() == Carrier::nccl; }

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::comm
