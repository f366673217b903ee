// Schedules and records of sums over near pairs, and what is compiled where they were not ahead.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include "../../core/refuse.hpp"

#include <fmt/format.h>

namespace ridge::pairs {

std::string to_text(const ListSchedule& schedule) {
  return text::print_held(schedule);
}

ListSchedule default_list_schedule(const Device& device) {
  if (facts_of(device).takes_gpu_schedules) return GpuListSchedule{};
  return CpuListSchedule{};
}

std::vector<NamedListSchedule> named_list_schedules(const Device& device) {
  if (!facts_of(device).takes_gpu_schedules) return {{"packs", CpuListSchedule{}}};
  return {{"single", GpuListSchedule{1, 128, 1}},
          {"paired", GpuListSchedule{2, 128, 1}},
          {"split", GpuListSchedule{1, 128, 4}}};
}

NamedListSchedule parse_list_schedule(std::string_view text, const Device& device) {
  const bool halves =
      text == "half" || text.starts_with("half=") || text.find(" half=") != text.npos;
  refuse_if(halves, "half: lists have each pair for both of its bodies, also where interactions "
                    "have `mutual`; lists of half of the pairs gain nothing, and sums would differ "
                    "from run to run (docs/near_pairs.md, Limits)");
  return text::parse_named(text, ridge::to_text(device.id()), default_list_schedule(device),
                           [&] { return named_list_schedules(device); });
}

std::vector<ListSchedule> list_schedule_space(const Device& device) {
  if (!facts_of(device).takes_gpu_schedules)
    return text::space_of<ListSchedule, CpuListSchedule>([](const auto&) { return true; });
  return text::space_of<ListSchedule, GpuListSchedule>([](const auto&) { return true; });
}

int share_of(const ListSchedule& schedule) {
  return std::visit([](const auto& s) { return s.share; }, schedule);
}

void detail::check_share(const ListSchedule& schedule, const ListData& lists) {
  const int share = share_of(schedule);
  if (share == 0 || share == lists.share) return;
  throw UsageError(fmt::format(
      "the schedule is for lists of {} bodies each, these are of {}; give ListOptions as many",
      share, lists.share));
}

void detail::check_kind(const Device& device, const ListData& lists) {
  const bool of_cpu = lists.first.size > 0;
  if (of_cpu != facts_of(device).takes_gpu_schedules) return;
  throw UsageError(fmt::format("the lists were built on {}, and the sums are to run on {}; make "
                               "lists with a queue of that device",
                               of_cpu ? "the cpu" : "a GPU", to_text(device.id())));
}

void detail::check_cutoff(double cutoff_squared, const ListData& lists) {
  // As near as numbers in float are.
  if (cutoff_squared <= lists.cutoff * lists.cutoff * (1 + 1e-6)) return;
  throw UsageError(fmt::format("the interaction reaches to {:g}, its lists only to {:g}",
                               std::sqrt(cutoff_squared), lists.cutoff));
}

launch::Demand detail::list_demand(const launch::CallTypes& types) {
  const std::string kernel = launch::type_text(types.kernel);
  const std::string precision = launch::type_text(types.precision);
  launch::Demand made = launch::detail::demand_of(types.call, "pairs", kernel, precision, {});
  made.executor = "ridge/pairs/lists/executor.hpp";
  made.instantiation = fmt::format(
      "template struct ridge::pairs::ListExecutor<{}, {}, ridge::Here>;", kernel, precision);
  return made;
}

Record detail::list_record_of(const Device& device, const Traits& traits,
                              const ListSchedule& schedule, const ListData& lists,
                              std::string_view kernel) {
  Record record;
  record.pattern = "pairs";
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = traits.precision;
  record.size = Extents{lists.bodies};
  record.schedule = to_text(schedule);
  record.work = work_of(traits, {lists.bodies, lists.bodies, true});
  record.work.items = lists.computed;
  record.work.flops = traits.flops * static_cast<double>(lists.computed);
  record.work.read.value += lists.entries.size * static_cast<Index>(sizeof(unsigned));
  record.work.convention = operations_text(traits.flops, "operations an interaction computed") +
                           "; reads bodies and lists once";
  record.details.push_back({"computed", static_cast<double>(lists.computed), {}});
  record.details.push_back({"list_bytes", static_cast<double>(lists.bytes), {}});
  return record;
}

} // namespace ridge::pairs
