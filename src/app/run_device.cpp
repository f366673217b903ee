#include "run_device.hpp"

#include <ridge/comm/carrier.hpp>
#include <ridge/device/device.hpp>

#include "../core/refuse.hpp"

#include <algorithm>

namespace ridge::app {

Device device_of_run(const comm::Communicator& ranks, const std::string& asked,
                     const DeviceBefore& before) {
  if (!asked.empty() && asked != "auto") return comm::device_of_rank(ranks, asked);
  if (before.restart.empty()) return comm::device_of_rank(ranks, "auto");
  const DeviceId id = parse_device(before.device);
  const auto here = list_devices();
  refuse_if(std::find(here.begin(), here.end(), id) == here.end(),
            "the run in {} was on {} ({}), which is not here; give --device to go on elsewhere, "
            "with other last bits",
            before.restart, before.device, before.name);
  const Device like_it(id);
  if (ranks.ranks() == 1 || !like_it.is_gpu()) return like_it;
  return comm::device_of_rank(ranks, before.device.substr(0, before.device.find(':')));
}

} // namespace ridge::app
