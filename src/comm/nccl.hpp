// NCCL or RCCL, opened at run time.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/queue.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ridge::comm {

/// Why the library for this kind of device cannot be opened here; empty where it can.
[[nodiscard]] std::string why_no_nccl(DeviceKind kind);

/// Sends and receives in the order of the queue. Collective.
[[nodiscard]] std::unique_ptr<BoundMessages> bind_nccl(Communicator& communicator, Queue& queue,
                                                       std::vector<Message> sends,
                                                       std::vector<Message> receives);

} // namespace ridge::comm
