#include <ridge/core/error.hpp>
#include <ridge/lab/near_case.hpp>

#include "text_menu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <variant>
#include <vector>

namespace ridge::lab {

std::unique_ptr<Menu> near_menu(const Place& place) {
  using namespace pairs;
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

pairs::ListOptions spread(const std::array<std::vector<double>*, 3>& positions,
                          const NearRequest& request) {
  if (!(request.cutoff > 0) || !std::isfinite(request.cutoff))
    throw UsageError(fmt::format("cutoff {:g}: it must be positive", request.cutoff));
  const auto count = static_cast<double>(positions[0]->size());
  const double wanted = std::cbrt(count / request.density);
  // Squares of distances within the cutoff, none of which is much longer than the box, are whole
  // numbers of float's digits in these units.
  const double unit = std::exp2(std::floor(std::log2(std::min(request.cutoff, wanted))) - 10);
  const double side = std::round(wanted / unit) * unit;
  if (!(side / unit < 0x1p23)) {
    throw UsageError(fmt::format("a box of {:g} is too large for a cutoff of {:g}: positions in "
                                 "fp32 would be too coarse",
                                 side, request.cutoff));
  }
  for (std::vector<double>* const values : positions) {
    const auto [least, most] = std::minmax_element(values->begin(), values->end());
    // Bodies at both ends keep off each other, as neighbours on a lattice do.
    const double rows = std::ceil(std::cbrt(count));
    const double low = *least;
    const double extent = (*most - low) * (rows > 1 ? rows / (rows - 1) : 1);
    for (double& x : *values) {
      const double at = extent > 0 ? (x - low) / extent * side : side / 2;
      x = std::floor(at / unit) * unit;
    }
  }
  using namespace pairs;
  ListOptions options{request.cutoff, request.skin, {}};
  if (request.periodic) options.box = Box::cube(side);
  return options;
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

} // namespace ridge::lab
