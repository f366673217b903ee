#include <ridge/pairs/lists/case.hpp>
#include <ridge/pattern/text_menu.hpp>

#include <algorithm>
#include <chrono>
#include <variant>
#include <vector>

namespace ridge::pairs {

std::unique_ptr<Menu> near_menu(const ridge::Place& place) {
  const Device device = place.device;
  return std::make_unique<TextMenu<ListSchedule>>(
      place, TextMenu<ListSchedule>::Source{
                 [device](const std::string& t) { return parse_list_schedule(t, device); },
                 [device] { return named_list_schedules(device); },
                 [device] {
                   std::vector<ListSchedule> all = list_schedule_space(device);
                   // Other widths of packs are each for some precisions and cpus.
                   std::erase_if(all, [](const ListSchedule& s) {
                     const auto* const cpu = std::get_if<CpuListSchedule>(&s);
                     return cpu != nullptr && cpu->share != 0;
                   });
                   return all;
                 },
                 "sums within a cutoff"});
}

void add_list_details(Record& record, const std::function<void()>& build,
                      const std::function<void()>& look, Queue& queue, double skin_of_cutoff) {
  const auto time_of = [&](const std::function<void()>& what) {
    std::vector<double> times;
    for (int n = 0; n < 4; ++n) {
      queue.wait();
      const auto begin = std::chrono::steady_clock::now();
      what();
      queue.wait();
      times.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin() + 1, times.end()); // the first warms up
    return times[2];
  };
  const double built = time_of(build);
  const double looked = time_of(look);
  record.details.push_back({"build_seconds", built, {}});
  record.details.push_back({"look_seconds", looked, {}});
  if (!record.timing) return;
  const double sums = record.timing->median.value;
  const double step = sums + looked + built / std::max(1.0, 7 / 0.12 * skin_of_cutoff);
  record.details.push_back({"step_seconds", step, {}});
  if (record.achieved && record.achieved->roof > 0)
    record.details.push_back({"step_fraction", record.achieved->fraction() * sums / step, {}});
}

} // namespace ridge::pairs
