#include <ridge/core/error.hpp>
#include <ridge/pattern/menu.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace ridge {

std::vector<NamedText> Menu::asked(const std::string& asked) const {
  if (asked == "all") return named();
  std::vector<NamedText> schedules;
  if (asked == "space") {
    for (std::string& text : space())
      schedules.push_back({"", std::move(text)});
    return schedules;
  }
  for (std::size_t begin = 0; begin <= asked.size();) {
    const std::size_t end = std::min(asked.find(';', begin), asked.size());
    const std::size_t from = std::min(asked.find_first_not_of(' ', begin), end);
    const std::size_t to = asked.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    schedules.push_back(parse(asked.substr(from, from < end ? to + 1 - from : 0)));
    begin = end + 1;
  }
  return schedules;
}

const model::Description* known_description(const Device& device) {
  static std::mutex guard;
  static std::map<std::string, std::optional<model::Description>> known;
  const std::lock_guard lock(guard);
  auto [at, is_new] = known.try_emplace(to_text(device.id()));
  if (is_new) {
    try {
      at->second = model::description_of(device.facts(), device.kind());
    } catch (const UsageError&) { // a device that nobody described
    }
  }
  return at->second ? &*at->second : nullptr;
}

const model::Description& description_at(const Place& place) {
  if (place.described) return *place.described;
  if (const auto* const known = known_description(place.device)) return *known;
  throw UsageError("the model has no description of " + to_text(place.device.id()));
}

} // namespace ridge
