// How fast a device reads again what it has read, by how much that is: where its caches end, what
// room stores take there, and how long a read takes that has to wait.
#pragma once

#include <ridge/record/roof.hpp>

#include <optional>
#include <vector>

namespace ridge {

/// All units read the same `bytes` over and over, or read and write as many beside them; one thread
/// follows a chain of lines through as many.
struct ReusePoint {
  Bytes bytes;                   ///< that are read again
  double read = 0;               ///< bytes read a second
  double beside_plain = 0;       ///< likewise, while as many results are stored
  double beside_nontemporal = 0; ///< likewise, with non-temporal stores
  Seconds latency;               ///< of one read
};

struct CacheRoof {
  DeviceId device;
  std::string device_name;
  Bytes cache;         ///< the last-level cache, as the device says
  Bytes smaller;       ///< what comes before it, of all units
  double clock_hz = 0; ///< of a core, from additions that wait for each other; 0 on a GPU
  std::vector<ReusePoint> points; ///< by ascending bytes

  /// The fastest read of the last-level cache, in bytes a second.
  [[nodiscard]] double cache_rate() const;
  [[nodiscard]] Seconds cache_latency() const;
  [[nodiscard]] Seconds memory_latency() const;
  /// The bytes of which half is gone when it is read again, by the time that it takes: half way
  /// between the cache's and memory's. Nothing where these differ by less than an eighth.
  [[nodiscard]] std::optional<Bytes> held() const;
  /// The room of a stored line, in lines that are read: 1 where both are kept alike, 0 where stores
  /// leave the cache alone. Nothing where one of the ends cannot be told.
  [[nodiscard]] std::optional<double> plain_room() const;
  [[nodiscard]] std::optional<double> nontemporal_room() const;

private:
  using Figure = double (*)(const ReusePoint&);
  [[nodiscard]] std::optional<double> end_of(Figure time) const;
  [[nodiscard]] std::optional<double> room_beside(Figure time) const;
  [[nodiscard]] bool is_of_cache(const ReusePoint& point) const;
};

/// Measures from a part of the caches to four times the last of them, or as far as a quarter of the
/// free memory goes; `quick`: half as many points. Throws UsageError for an emulated GPU, which has
/// no memory of its own.
[[nodiscard]] CacheRoof measure_cache(const Device& device, const RoofOptions& options = {});

[[nodiscard]] std::string to_json(const CacheRoof& roof, int indent = 2);

} // namespace ridge
