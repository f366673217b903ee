#include <ridge/pairs/tree_case.hpp>
#include <ridge/pattern/text_menu.hpp>

#include <fmt/format.h>

namespace ridge::pairs {

std::unique_ptr<Menu> tree_menu(const ridge::Place& place, const std::string& precision) {
  using Held = std::variant<TreeSchedule>;
  const Device device = place.device;
  return std::make_unique<TextMenu<Held>>(
      place, TextMenu<Held>::Source{
                 [=](const std::string& t) { return parse_tree_schedule(t, device, precision); },
                 [=] { return named_tree_schedules(device, precision); },
                 [=] {
                   const auto all = tree_schedule_space(device);
                   return std::vector<Held>(all.begin(), all.end());
                 },
                 "sums by a tree"});
}

Check judge_tree(const TreeError& error, double tolerance) {
  Check check;
  check.max_error = error.rms;
  check.against = "all pairs";
  check.ok = error.rms <= tolerance;
  if (!check.ok) {
    check.message = fmt::format("accelerations of {} bodies are off those of all pairs by {:.1e} "
                                "rms; {:.1e} is right",
                                error.sample, error.rms, tolerance);
  }
  return check;
}

void add_tree_errors(Record& record, const TreeError& error, std::optional<double> asked) {
  const auto add = [&](const char* name, double number) {
    record.details.push_back({name, number, {}});
  };
  if (asked) add("error_asked", *asked);
  add("error_rms", error.rms);
  add("error_p99", error.p99);
  add("error_worst", error.worst);
  add("error_sample", static_cast<double>(error.sample));
}

} // namespace ridge::pairs
