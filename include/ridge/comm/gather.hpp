// Memory of each rank's device, brought to all ranks: results of reductions.
//
//   ridge::comm::Gather gather(communicator, queue, mine, size);
//   gather.launch();      // in the order of the queue, like the launch that makes it
//   gather.get(all);      // rank after rank, on the host
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/device/memory.hpp>

#include <memory>

namespace ridge::comm {

/// One message of each rank to every other, bound once. Where messages need no host, launch() only
/// gives them to the queue: the host waits in get() alone, however many launches came before.
/// Collective, launch() and get() too.
class Gather {
public:
  /// `mine`: memory of the queue's device, of the same size on every rank, a multiple of four
  /// bytes. Queue, memory and communicator must outlive it.
  Gather(Communicator& communicator, Queue& queue, const void* mine, Bytes size);
  ~Gather();
  Gather(const Gather&) = delete;
  Gather& operator=(const Gather&) = delete;

  /// Sends what work given to the queue so far has made.
  void launch();
  /// Waits, and copies what all ranks sent by the last launch() to memory of the host, rank after
  /// rank.
  void get(void* all);

  [[nodiscard]] Carrier carrier() const { return carrier_; }
  /// Whether launch() only gives work to the queue; elsewhere get() sends the messages.
  [[nodiscard]] bool needs_no_host() const { return transfer_ || communicator_.ranks() == 1; }

private:
  Communicator& communicator_;
  Queue& queue_;
  const void* mine_;
  Bytes size_;
  Carrier carrier_;
  Memory theirs_; ///< of all ranks, on the device; this one's place stays empty
  Memory host_;
  std::unique_ptr<BoundMessages> transfer_; ///< none where messages need the host
};

} // namespace ridge::comm
