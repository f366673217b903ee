// The device of a run with snapshots.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/device.hpp>

#include <string>

namespace ridge::app {

/// What `restart` tells of the device a run was on.
struct DeviceBefore {
  std::string restart; ///< the file; empty where the run begins
  std::string device, name;
};

/// The device asked for; that of a run which goes on is the one it was on, or one like it a rank.
/// Throws UsageError where that is not here.
[[nodiscard]] Device device_of_run(const comm::Communicator& ranks, const std::string& asked,
                                   const DeviceBefore& before);

} // namespace ridge::app
