#include <ridge/core/error.hpp>
#include <ridge/stencil/model_access.hpp>
#include <ridge/tune/stencil_cost.hpp>

#include <map>
#include <mutex>

namespace ridge::tune {

namespace {

/// The description of a device, found once; nothing where there is none.
const std::optional<model::Description>& description_of(const Device& device) {
  static std::mutex guard;
  static std::map<std::string, std::optional<model::Description>> known;
  const std::lock_guard lock(guard);
  auto [at, is_new] = known.try_emplace(ridge::to_text(device.id()));
  if (is_new) {
    try {
      at->second = model::description_of(device.facts(), device.kind());
    } catch (const UsageError&) { // a device that nobody described
    }
  }
  return at->second;
}

} // namespace

std::optional<double> stencil_cost(const Device& device, const stencil::Traits& traits,
                                   const std::string& schedule, const Extents& size) {
  const auto& description = description_of(device);
  if (!description) return std::nullopt;
  const Index3 n = size.xyz();
  const stencil::Schedule chosen = stencil::parse_schedule(schedule, device, traits, n).schedule;
  const stencil::Prediction p = stencil::predict(traits, chosen, n, *description);
  if (p.time) return p.time->seconds.value;
  return p.traffic.fetched + p.traffic.written;
}

} // namespace ridge::tune
