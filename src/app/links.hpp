// `ridge roof` over ranks.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/device.hpp>

namespace ridge::app {

/// Measures and prints what messages between ranks cost.
void print_links(comm::Communicator& ranks, const Device& device, bool quick, bool json);

} // namespace ridge::app
