// The start of commands that make configurations, and its lines in their files.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/io/gauge_file.hpp>

#include <cstdint>
#include <string>

namespace ridge::app {

/// --start, and what belongs to it.
struct GaugeStart {
  std::string from; ///< cold or empty, hot, or a file
  std::string size;
  bool accept = false;
  int configuration = 0;

  /// From a file.
  [[nodiscard]] bool goes_on() const;
  /// This rank's slices of a file, else the whole. Throws UsageError where --size is missing.
  [[nodiscard]] io::GaugeConfiguration begin(comm::Communicator& ranks, std::uint64_t seed) const;
};

/// How many sweeps or trajectories a configuration has behind it; 0 where it does not say.
[[nodiscard]] std::uint32_t sequence_number(const io::GaugeConfiguration& c);
/// Says so in its header, and how it was made.
void describe(io::GaugeConfiguration& c, std::uint32_t done, const std::string& label);

} // namespace ridge::app
