#include <ridge/core/units.hpp>
#include <ridge/device/device.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lab/table.hpp>

#include "commands.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ridge::app {

namespace {

nlohmann::ordered_json to_json(const Device& device) {
  const DeviceFacts& f = device.facts();
  return {{"device", to_text(device.id())},
          {"device_name", f.name},
          {"architecture", f.architecture},
          {"units", f.units},
          {"warp_width", f.warp_width},
          {"simd_bytes", f.simd_bytes},
          {"l1_bytes", f.l1.value},
          {"l2_bytes", f.l2.value},
          {"last_level_cache_bytes", f.last_level_cache.value},
          {"shared_per_block_bytes", f.shared_per_block.value},
          {"memory_bytes", f.memory.value}};
}

std::string or_dash(Bytes bytes) {
  return bytes.value > 0 ? to_text(bytes) : "-";
}

void print_devices(bool json) {
  auto array = nlohmann::ordered_json::array();
  lab::Table table(
      {"device", "name", "architecture", "units", "warp", "L1", "L2", "last level", "memory"});
  for (const DeviceId id : list_devices()) {
    const Device device(id);
    const DeviceFacts& f = device.facts();
    array.push_back(to_json(device));
    table.add({to_text(id), f.name, f.architecture, std::to_string(f.units),
               std::to_string(f.warp_width), or_dash(f.l1), or_dash(f.l2),
               or_dash(f.last_level_cache), or_dash(f.memory)});
  }
  if (json) {
    fmt::print("{}\n", array.dump(2));
  } else {
    fmt::print("{}", table.text());
    if (!facts_of(best_device().kind).is_gpu()) fmt::print("no GPU here: 'auto' means the cpu\n");
  }
}

} // namespace

void add_devices(CommandLine& line) {
  const Command command = line.add_command("devices", "list the devices here and their facts");
  auto json = std::make_shared<bool>(false);
  command.add("--json", json.get(), "print JSON");
  command.set_action([json] { print_devices(*json); }, Ranks::several);
}

} // namespace ridge::app
