#include <ridge/pairs/far/case.hpp>
#include <ridge/pattern/text_menu.hpp>

#include <fmt/format.h>

namespace ridge::pairs {

std::unique_ptr<Menu> far_menu(const ridge::Place& place) {
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

std::vector<Index> far_sample(Index count) {
  std::vector<Index> places = targets_to_compare(count, count);
  constexpr std::size_t most = 1000;
  const std::size_t apart = (places.size() + most - 1) / most;
  for (std::size_t k = 0; k * apart < places.size(); ++k)
    places[k] = places[k * apart];
  places.resize((places.size() + apart - 1) / apart);
  return places;
}

} // namespace ridge::pairs
