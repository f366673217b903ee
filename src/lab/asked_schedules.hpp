// What `--schedule` asks a benchmark for, in any pattern.
#pragma once

#include <ridge/lab/case.hpp>

#include <string>
#include <vector>

namespace ridge::lab {

/// The schedules of `asked`: one that `parse` reads; or `space`, all that `space()` gives, without
/// names; or `all`, those that `named()` gives and the default. `print` makes them text. Throws
/// what `parse` does.
template <class Parse, class Named, class Space, class Print>
[[nodiscard]] std::vector<AskedSchedule> asked_schedules(const std::string& asked,
                                                         const Parse& parse, const Named& named,
                                                         const Space& space, const Print& print) {
  std::vector<AskedSchedule> schedules;
  if (asked == "space") {
    for (const auto& s : space())
      schedules.push_back({"", print(s)});
    return schedules;
  }
  if (asked == "all") {
    for (const auto& s : named())
      schedules.push_back({s.name, print(s.schedule)});
  }
  const auto one = parse(asked == "all" ? "auto" : asked);
  schedules.push_back({one.name, print(one.schedule)});
  return schedules;
}

} // namespace ridge::lab
