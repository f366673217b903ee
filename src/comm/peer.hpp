// Messages that GPUs of one machine store into each other's memory.
#pragma once

#include <ridge/comm/transfer.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ridge::comm {

/// Why the devices of these ranks cannot write into each other's memory; empty where they can. One
/// rank can. Collective; found out once.
[[nodiscard]] std::string why_no_peer(Communicator& communicator, const Device& device);

/// Sends and receives in the order of the queue, one launch for both: messages are copied as they
/// lie where `push` binds no other. What is received into memory that cannot be exported takes a
/// copy more. Collective. Throws UsageError for messages whose size or address is no multiple of
/// four bytes, Failure where sends and receives do not match.
[[nodiscard]] std::unique_ptr<BoundMessages> bind_peer(const Endpoint& at,
                                                       const std::vector<Message>& sends,
                                                       const std::vector<Message>& receives,
                                                       const BindPush& push = {});

} // namespace ridge::comm
