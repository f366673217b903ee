// What `--schedule` asks a benchmark for, in any pattern.
#pragma once

#include <ridge/lab/case.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace ridge::lab {

/// The schedules of `asked`: those that `parse` reads, with semicolons between them; or `space`,
/// all that `space()` gives, without names; or `all`, those that `named()` gives and the default.
/// `print` makes them text. Throws what `parse` does.
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
  const auto add = [&](const std::string& text) {
    const auto one = parse(text);
    schedules.push_back({one.name, print(one.schedule)});
  };
  if (asked == "all") {
    add("auto");
    return schedules;
  }
  for (std::size_t begin = 0; begin <= asked.size();) {
    const std::size_t end = std::min(asked.find(';', begin), asked.size());
    const std::size_t from = std::min(asked.find_first_not_of(' ', begin), end);
    const std::size_t to = asked.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    add(asked.substr(from, from < end ? to + 1 - from : 0));
    begin = end + 1;
  }
  return schedules;
}

} // namespace ridge::lab
