// NCCL or RCCL, opened at run time.
#pragma once

#include <ridge/comm/carrier.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ridge::comm {

/// Why the library for this kind of device cannot be opened here; empty where it can.
[[nodiscard]] std::string why_no_nccl(DeviceKind kind);

/// Sends and receives in the order of the queue. Collective.
[[nodiscard]] std::unique_ptr<BoundMessages>
bind_nccl(const Endpoint& at, std::vector<Message> sends, std::vector<Message> receives);

} // namespace ridge::comm
