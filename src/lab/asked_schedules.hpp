// What `--schedule` asks a benchmark for, in any pattern.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridge::lab {

/// The schedules of `asked`: one that `parse` reads; or `space`, all that `space()` gives, without
/// names; or `all`, those that `named()` gives and the default. Throws what `parse` does.
template <class Parse, class Named, class Space>
[[nodiscard]] auto asked_schedules(const std::string& asked, const Parse& parse, const Named& named,
                                   const Space& space) {
  decltype(named()) schedules;
  if (asked == "space") {
    for (auto& s : space())
      schedules.push_back({"", std::move(s)});
  } else if (asked == "all") {
    schedules = named();
    schedules.push_back(parse("auto"));
  } else {
    schedules.push_back(parse(asked));
  }
  return schedules;
}

} // namespace ridge::lab
