#include <ridge/lab/far_case.hpp>

#include "text_menu.hpp"

#include <fmt/format.h>

namespace ridge::lab {

std::unique_ptr<Menu> far_menu(const Place& place) {
  using namespace pairs;
  const Device device = place.device;
  return std::make_unique<TextMenu<FarSchedule>>(
      place, TextMenu<FarSchedule>::Source{
                 [device](const std::string& t) { return parse_far_schedule(t, device); },
                 [device] { return named_far_schedules(device); },
                 [device] { return far_schedule_space(device); }, "sums by a far field"});
}

Check with_far_error(Check check, double rms, double asked) {
  if (!check.ok || rms <= asked) return check;
  check.ok = false;
  check.message = fmt::format("sums are off by {:.1e} rms, and {:g} was asked for", rms, asked);
  return check;
}

Check with_far_rms(Check check, double rms, std::optional<double> most) {
  if (!check.ok || !most || rms <= *most) return check;
  check.ok = false;
  check.message = fmt::format("sums are off by {:.1e} rms, {:.1e} at most at this degree and theta "
                              "where interactions are smooth far away; give a higher degree or a "
                              "smaller theta",
                              rms, *most);
  return check;
}

} // namespace ridge::lab
