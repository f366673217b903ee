// Schedules with names, of whichever device: what the patterns' schedules share.
#pragma once

#include <ridge/core/text.hpp>

#include <variant>

namespace ridge::text {

/// A schedule with the name it is known by; Schedule is a variant of plain structs with fields().
template <class Schedule>
struct Named {
  std::string name;
  Schedule schedule;
};

/// The fields of whichever schedule it holds.
template <class... S>
[[nodiscard]] std::string print_held(const std::variant<S...>& schedule) {
  return std::visit([](const auto& s) { return print(s); }, schedule);
}

/// Reads all fields of a schedule: of a GPU's, else of a cpu's.
template <class Schedule>
[[nodiscard]] Schedule parse_held(std::string_view text, bool of_gpu) {
  if (of_gpu) return parse<std::variant_alternative_t<1, Schedule>>(text);
  return parse<std::variant_alternative_t<0, Schedule>>(text);
}

/// Every possible combination of S's enumerated values that `allowed` takes.
template <class Schedule, class S, class Allowed>
[[nodiscard]] std::vector<Schedule> space_of(const Allowed& allowed) {
  std::vector<Schedule> all;
  for (const S& s : space<S>()) {
    if (allowed(s)) all.emplace_back(s);
  }
  return all;
}

/// Reads a schedule: `auto`, a name, or fields, which may follow a name and change it; fields alone
/// change `standard`, the default. `names()` gives the vector of those with names on `device`, for
/// messages. Throws UsageError that lists what is right.
template <class Schedule, class Names>
[[nodiscard]] Named<Schedule> parse_named(std::string_view line, std::string_view device,
                                          const Schedule& standard, const Names& names) {
  Named<Schedule> chosen{"default", standard};
  std::string_view fields = line;
  const auto all_words = words(line);
  if (!all_words.empty() && all_words.front().find('=') == std::string_view::npos) {
    const std::string_view name = all_words.front();
    fields = line.substr(static_cast<std::size_t>(name.data() - line.data()) + name.size());
    bool known = name == "auto";
    std::string list = "auto";
    for (auto& candidate : names()) {
      list += ", " + candidate.name;
      if (candidate.name == name) {
        chosen = candidate;
        known = true;
      }
    }
    if (!known) {
      throw UsageError("unknown schedule '" + std::string(name) + "'; on " + std::string(device) +
                       " the names are " + list + ", or give fields: " + print_held(standard));
    }
  }
  if (!words(fields).empty()) {
    chosen.name.clear();
    chosen.schedule = std::visit(
        [&](const auto& base) -> Schedule {
          return parse<std::remove_cvref_t<decltype(base)>>(fields, base);
        },
        chosen.schedule);
  }
  return chosen;
}

} // namespace ridge::text
