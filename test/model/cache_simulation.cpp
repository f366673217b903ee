#include "cache_simulation.hpp"

#include <algorithm>
#include <cstdint>

namespace ridge::model {

namespace {

constexpr Index line_bytes = 64;

/// A cache of sets, each a list of lines with the last used first.
class Cache {
public:
  Cache(double bytes, double ways)
      : ways_(static_cast<std::size_t>(ways)),
        sets_(static_cast<std::size_t>(bytes / line_bytes / ways)) {}

  /// True when the line was there. It is afterwards.
  bool use(std::uint64_t line) {
    auto& set = sets_[mixed(line) % sets_.size()];
    const auto at = std::find(set.begin(), set.end(), line);
    const bool hit = at != set.end();
    if (hit) set.erase(at);
    set.insert(set.begin(), line);
    if (set.size() > ways_) set.pop_back();
    return hit;
  }

private:
  /// A hash that leaves no pattern (splitmix64).
  static std::uint64_t mixed(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::size_t ways_;
  std::vector<std::vector<std::uint64_t>> sets_;
};

/// A row of one plane that a block reads or writes at some time.
struct Event {
  double time;
  Index y, z;
  bool store;
};

} // namespace

double simulate_fetched(const StencilAccess& access, const Description& device, double resident,
                        double wait_share) {
  const Index3 n = access.extents;
  std::vector<Event> events;
  double start = 0;
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y, ++start) {
      if (y == 0 || y == n.y - 1 || z == 0 || z == n.z - 1) continue;
      const double step = wait_share * resident;
      events.push_back({start, y, z - 1, false});
      for (Index dy = -1; dy <= 1; ++dy)
        events.push_back({start + step, y + dy, z, false});
      events.push_back({start + 2 * step, y, z + 1, false});
      if (access.keeps_stores) events.push_back({start + resident, y, z, true});
    }
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  Cache cache(device.cache_bytes, device.cache_ways);
  const Index lines = n.x * access.element_bytes / line_bytes;
  double fetched = 0;
  for (const Event& e : events) {
    for (Index i = 0; i < lines; ++i) {
      const auto line = static_cast<std::uint64_t>((e.z * n.y + e.y) * lines + i);
      const bool hit = cache.use(2 * line + (e.store ? 1 : 0));
      if (!hit && !e.store) fetched += line_bytes;
    }
  }
  return fetched;
}

} // namespace ridge::model
