#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/device.hpp>
#include <ridge/device/kind.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace ridge {

namespace {

std::string names_here() {
  std::string names;
  for (const DeviceId id : list_devices())
    names += (names.empty() ? "" : ", ") + to_text(id);
  return names;
}

/// The number that a name means, or nothing where none of its kind has such a name.
std::optional<int> number_of(const KindFacts& kind, std::string_view text) {
  const auto colon = text.find(':');
  const bool alone = colon == std::string_view::npos;
  if (alone || kind.numbering == Numbering::none) {
    return alone && kind.numbering != Numbering::given ? std::optional(0) : std::nullopt;
  }
  const std::string_view digits = text.substr(colon + 1);
  int number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status != std::errc{} || end != digits.data() + digits.size() || number < 0) return {};
  const std::vector<int> known =
      kind.numbering == Numbering::given ? kind.numbers() : std::vector{number};
  return std::find(known.begin(), known.end(), number) == known.end() ? std::nullopt
                                                                      : std::optional(number);
}

} // namespace

std::string to_text(DeviceId id) {
  const KindFacts& kind = facts_of(id.kind);
  return kind.numbering == Numbering::none ? std::string(kind.name)
                                           : fmt::format("{}:{}", kind.name, id.number);
}

bool stalls_between_pages(const DeviceFacts& facts) {
  return facts.name.find("Intel") != std::string::npos;
}

Bytes cache_of_cores(const DeviceFacts& facts) {
  constexpr std::int64_t most_a_core = 12 << 20;
  return Bytes{std::min(facts.last_level_cache.value, most_a_core * std::max(facts.units, 1))};
}

DeviceId parse_device(std::string_view text) {
  for (const KindFacts* const kind : kinds()) {
    if (text.substr(0, text.find(':')) != kind->name) continue;
    if (const auto number = number_of(*kind, text)) return {kind->kind, *number};
  }
  throw UsageError(fmt::format("unknown device '{}'; a device is {}; here are {}", text,
                               device_forms(), names_here()));
}

Device::Device(DeviceId id) : backend_(facts_of(id.kind).open(id.number)) {
  if (!backend_) {
    throw UsageError(
        fmt::format("there is no device {} here; here are {}", to_text(id), names_here()));
  }
}

DeviceId Device::id() const {
  return backend_->id();
}
bool Device::is_gpu() const {
  return facts_of(*this).is_gpu();
}
const DeviceFacts& Device::facts() const {
  return backend_->facts();
}
Bytes Device::free_memory() const {
  return backend_->free_memory();
}

std::vector<DeviceId> list_devices() {
  std::vector<DeviceId> here;
  for (const KindFacts* const kind : listed_kinds()) {
    for (const int number : kind->numbers())
      here.push_back({kind->kind, number});
  }
  return here;
}

DeviceId best_device() {
  return list_devices().front();
}

std::shared_ptr<KernelImage> Backend::load_image(const void* /*image*/) {
  return nullptr;
}

} // namespace ridge
