#include <ridge/device/kind.hpp>
#include <ridge/pairs/tree.hpp>

namespace ridge::pairs {

namespace {

bool is_listed(const TreeSchedule& s, bool gpu) {
  return gpu ? s.tile <= 2 : s.tile != 3;
}

} // namespace

TreeSchedule default_tree_schedule(const Device& device, std::string_view precision) {
  TreeSchedule s;
  if (!facts_of(device).takes_gpu_schedules) {
    // Some 32 targets: more of them meet more sources than they need.
    const int lanes = device.facts().simd_bytes / (precision == "fp64" ? 8 : 4);
    s.tile = lanes >= 16 ? 2 : 4;
    s.leaf = 32;
  }
  return s;
}

std::vector<NamedTreeSchedule> named_tree_schedules(const Device& device,
                                                    std::string_view precision) {
  TreeSchedule small = default_tree_schedule(device, precision);
  small.leaf /= 2;
  TreeSchedule narrow = default_tree_schedule(device, precision);
  narrow.tile /= 2;
  return {{"small-leaves", small}, {"narrow", narrow}};
}

NamedTreeSchedule parse_tree_schedule(std::string_view text, const Device& device,
                                      std::string_view precision) {
  auto chosen =
      text::parse_named(text, ridge::to_text(device.id()),
                        std::variant<TreeSchedule>(default_tree_schedule(device, precision)),
                        [&] { return named_tree_schedules(device, precision); });
  const auto& s = std::get<0>(chosen.schedule);
  const bool gpu = facts_of(device).takes_gpu_schedules;
  if (!is_listed(s, gpu)) {
    throw UsageError("tile=" + std::to_string(s.tile) + " is not for " +
                     ridge::to_text(device.id()) + "; there it is " +
                     (gpu ? "1 or 2" : "1, 2 or 4"));
  }
  return chosen;
}

std::vector<TreeSchedule> tree_schedule_space(const Device& device) {
  const bool gpu = facts_of(device).takes_gpu_schedules;
  return text::space_of<TreeSchedule, TreeSchedule>(
      [&](const TreeSchedule& s) { return is_listed(s, gpu); });
}

} // namespace ridge::pairs
