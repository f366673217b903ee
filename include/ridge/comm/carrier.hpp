// What carries messages between the devices of ranks.
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
  nccl,   ///< NCCL or RCCL, in the order of a queue, without the host
  staged, ///< through memory of the host and MPI
};
[[nodiscard]] const char* to_text(Carrier carrier);

/// What all ranks use for a device each; collective. NCCL where each rank has a GPU of its own and
/// the library is here, else the host. `RIDGE_NCCL=off` takes the host. Throws UsageError where
/// ranks have devices of different kinds. `reason`, if given, gets why it is not NCCL on GPUs;
/// empty otherwise.
[[nodiscard]] Carrier choose_carrier(Communicator& communicator, const Device& device,
                                     std::string* reason = nullptr);

/// Messages between memory of devices, in the order of `queue`: sent is what all work given to it
/// before `begin` has made, and work given after `finish` sees what was received. Collective. With
/// NCCL, begin and finish only give work to the queue, and may be recorded in a graph; so with that
/// carrier alone work on other queues goes on without a word of the host.
[[nodiscard]] std::unique_ptr<Transfer> bind_on_device(Communicator& communicator, Queue& queue,
                                                       Carrier carrier, std::vector<Message> sends,
                                                       std::vector<Message> receives);

/// The device that `name` means for this rank: `auto`, and a kind without a number, are spread over
/// the GPUs of the machine by local rank. Throws UsageError as Device does.
[[nodiscard]] Device device_of_rank(const Communicator& communicator, const std::string& name);

} // namespace ridge::comm
