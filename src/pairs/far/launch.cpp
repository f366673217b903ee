// Schedules and records of sums by a far field, and what is compiled where they were not ahead.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/pairs/far/launch.hpp>

#include <fmt/format.h>

namespace ridge::pairs {

std::string to_text(const FarSchedule& schedule) {
  return text::print_held(schedule);
}

FarSchedule default_far_schedule(const Device& device) {
  if (facts_of(device).takes_gpu_schedules) return GpuFarSchedule{};
  return CpuFarSchedule{};
}

std::vector<NamedFarSchedule> named_far_schedules(const Device& device) {
  if (facts_of(device).takes_gpu_schedules) return {{"small-leaves", GpuFarSchedule{32}}};
  return {{"small-leaves", CpuFarSchedule{32}}};
}

NamedFarSchedule parse_far_schedule(std::string_view text, const Device& device) {
  return text::parse_named(text, ridge::to_text(device.id()), default_far_schedule(device),
                           [&] { return named_far_schedules(device); });
}

std::vector<FarSchedule> far_schedule_space(const Device& device) {
  if (!facts_of(device).takes_gpu_schedules)
    return text::space_of<FarSchedule, CpuFarSchedule>([](const auto&) { return true; });
  return text::space_of<FarSchedule, GpuFarSchedule>([](const auto&) { return true; });
}

int leaf_of(const FarSchedule& schedule) {
  return std::visit([](const auto& s) { return s.leaf; }, schedule);
}

void detail::check_leaf(const FarSchedule& schedule, int leaf) {
  const int wanted = leaf_of(schedule);
  if (wanted == 0 || wanted == leaf) return;
  throw UsageError(fmt::format(
      "the schedule is for leaves of {} bodies, the far field has {}; give FarOptions as many",
      wanted, leaf));
}

void detail::refuse_nonlinear(int component) {
  throw UsageError(
      fmt::format("proxies stand for many bodies: sums must be linear in what sources have beside "
                  "their positions, and are not in component {} (they count from 0)",
                  component));
}

launch::Demand detail::far_demand(const launch::CallTypes& types) {
  const std::string kernel = launch::type_text(types.kernel);
  const std::string precision = launch::type_text(types.precision);
  launch::Demand made = launch::detail::demand_of(types.call, "pairs", kernel, precision, {});
  made.executor = "ridge/pairs/far/executor.hpp";
  made.instantiation = fmt::format(
      "template struct ridge::pairs::FarExecutor<{}, {}, ridge::Here>;", kernel, precision);
  return made;
}

Record detail::far_record_of(const Device& device, const Traits& traits,
                             const FarSchedule& schedule, Index bodies, double theta, int degree,
                             std::string_view kernel) {
  Record record;
  record.pattern = "pairs";
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = traits.precision;
  record.size = Extents{bodies};
  record.schedule = to_text(schedule);
  record.work = work_of(traits, {bodies, bodies, true});
  record.work.convention = fmt::format("{}, those of all pairs counted; {}",
                                       operations_text(traits.flops, "operations an interaction"),
                                       theta == 0 ? "theta 0 is all pairs" : "far ones by proxies");
  record.details.push_back({"theta", theta, {}});
  record.details.push_back({"degree", static_cast<double>(degree), {}});
  return record;
}

} // namespace ridge::pairs
