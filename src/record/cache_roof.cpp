// What the points of a reuse curve come to.
#include <ridge/record/cache_roof.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ridge {

namespace {

double read_time(const ReusePoint& p) {
  return 1 / p.read;
}
double plain_time(const ReusePoint& p) {
  return 1 / p.beside_plain;
}
double nontemporal_time(const ReusePoint& p) {
  return 1 / p.beside_nontemporal;
}

/// Times of memory and cache that differ by less tell nothing of where one ends.
constexpr double apart = 1.125;

} // namespace

/// Beyond the caches before it, and no more than a quarter, so that a part of it, or what others
/// leave of it, holds it still.
bool CacheRoof::is_of_cache(const ReusePoint& point) const {
  return point.bytes.value <= cache.value / 4 &&
         point.bytes.value >= std::min(2 * smaller.value, cache.value / 8);
}

double CacheRoof::cache_rate() const {
  double rate = 0;
  for (const ReusePoint& p : points)
    if (is_of_cache(p)) rate = std::max(rate, p.read);
  return rate;
}

Seconds CacheRoof::cache_latency() const {
  Seconds least{INFINITY};
  for (const ReusePoint& p : points)
    if (is_of_cache(p)) least = std::min(least, p.latency);
  return least;
}

Seconds CacheRoof::memory_latency() const {
  return points.back().latency;
}

/// Where `time` passes the middle between the cache's and memory's for good.
std::optional<double> CacheRoof::end_of(Figure time) const {
  double low = INFINITY;
  for (const ReusePoint& p : points)
    if (is_of_cache(p)) low = std::min(low, time(p));
  const double high = time(points.back());
  if (!(high > apart * low)) return std::nullopt;
  const double middle = (low + high) / 2;
  for (auto p = points.rbegin(); std::next(p) != points.rend(); ++p) {
    const auto& before = *std::next(p);
    if (time(before) >= middle) continue;
    const double part = (middle - time(before)) / (time(*p) - time(before));
    const double from = std::log(static_cast<double>(before.bytes.value));
    const double to = std::log(static_cast<double>(p->bytes.value));
    return std::exp(from + part * (to - from));
  }
  return std::nullopt;
}

std::optional<Bytes> CacheRoof::held() const {
  const auto end = end_of(read_time);
  if (!end) return std::nullopt;
  return Bytes{static_cast<Index>(*end)};
}

/// As many bytes are stored as are read: what holds `end` bytes of reads holds these and the stores
/// beside fewer.
std::optional<double> CacheRoof::room_beside(Figure time) const {
  const auto alone = end_of(read_time);
  const auto beside = end_of(time);
  if (!alone || !beside) return std::nullopt;
  return std::max(0.0, *alone / *beside - 1);
}

std::optional<double> CacheRoof::plain_room() const {
  return room_beside(plain_time);
}
std::optional<double> CacheRoof::nontemporal_room() const {
  return room_beside(nontemporal_time);
}

} // namespace ridge
