// Memory of each rank's device, brought to all ranks: results of reductions.
//
//   ridge::comm::Gather gather(communicator, queue, mine, size);
//   gather.launch();      // in the order of the queue, like the launch that makes it
//   gather.get(all);      // rank after rank, on the host
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/comm/transfer.hpp>
#include <ridge/device/memory.hpp>

#include <vector>

namespace ridge::comm {

/// One message of each rank to every other, bound once. Where messages need no host, launch() only
/// gives them to the queue: the host waits in get() alone, however many launches came before.
/// Collective, launch() and get() too.
class Gather {
public:
  /// `mine`: memory of the queue's device, of the same size on every rank, a multiple of four
  /// bytes. Queue, memory and communicator must outlive it.
  Gather(Communicator& communicator, Queue& queue, const void* mine, Bytes size);

  /// Sends what work given to the queue so far has made.
  void launch() { transfer_.run(); }
  /// Waits, and copies what all ranks sent by the last launch() to memory of the host, rank after
  /// rank.
  void get(void* all);

  [[nodiscard]] Carrier carrier() const { return at_.carrier; }
  /// Whether launch() only gives work to the queue; elsewhere get() sends the messages.
  [[nodiscard]] bool needs_no_host() const { return transfer_ || at_.ranks.ranks() == 1; }

private:
  Endpoint at_;
  const void* mine_;
  Bytes size_;
  Memory theirs_; ///< of all ranks, on the device; this one's place stays empty
  Memory host_;
  Transfer transfer_; ///< empty where messages need the host
};

/// Brings the points of a box to rank 0, packed with x first, from the ranks that own them: `whole`
/// gets them there. `mine`: those of them that this rank owns, packed, on the host. Collective.
void gather_box(Communicator& ranks, const Grid& grid, const Box& box, const void* mine,
                Index element_bytes, std::vector<char>& whole);

} // namespace ridge::comm
