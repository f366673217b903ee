// Carriers of messages between the devices of ranks.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/queue.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ridge::comm {

/// How memory of a device reaches another rank's.
enum class Carrier {
  host,   ///< MPI reads and writes it: the cpu and emulated GPUs, or one rank
  peer,   ///< a kernel stores it there: NVIDIA GPUs of one machine that reach each other's memory
  nccl,   ///< NCCL or RCCL, in the order of a queue, without the host
  staged, ///< through memory of the host and MPI
};
[[nodiscard]] const char* to_text(Carrier carrier);

/// Whether messages go in the order of a queue, without a word of the host: they may be recorded in
/// a graph, and work on other queues goes on beside them.
[[nodiscard]] constexpr bool needs_no_host(Carrier carrier) {
  return carrier == Carrier::peer || carrier == Carrier::nccl;
}

/// The carrier that all ranks use for a device each; collective. GPUs take the first that is
/// possible of peer, nccl and staged; the first two need a GPU of its own for each rank.
/// `RIDGE_CARRIER` names the one to begin with. Throws UsageError where ranks have devices of
/// different kinds, or the variable another value. `reason`, if given, gets why messages of GPUs go
/// through the host; empty otherwise.
[[nodiscard]] Carrier choose_carrier(Communicator& communicator, const Device& device,
                                     std::string* reason = nullptr);

/// What messages of a queue's device are bound with. Choosing the carrier is collective.
struct Endpoint {
  Endpoint(Communicator& of, Queue& work) : Endpoint(of, work, choose_carrier(of, work.device())) {}
  Endpoint(Communicator& of, Queue& work, Carrier by) : ranks(of), queue(work), carrier(by) {}

  Communicator& ranks;
  Queue& queue;
  Carrier carrier;
};

/// Messages between memory of devices, in the order of the queue: what all work given to it before
/// `begin` has made is sent, and work given after `finish` sees what was received. Collective.
/// Where the carrier needs no host, begin and finish only give work to the queue.
[[nodiscard]] std::unique_ptr<BoundMessages>
bind_on_device(const Endpoint& at, std::vector<Message> sends, std::vector<Message> receives);

/// The device that `name` means for this rank: `auto`, and a kind without a number, are spread over
/// the GPUs of the machine by local rank. Throws UsageError as Device does.
[[nodiscard]] Device device_of_rank(const Communicator& communicator, const std::string& name);

} // namespace ridge::comm
