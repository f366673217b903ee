#include "gauge_start.hpp"

#include <ridge/gauge/heatbath.hpp>

#include "core/refuse.hpp"
#include "gauge_input.hpp"

#include <charconv>

namespace ridge::app {

namespace {
/// Where the number of sweeps is kept in files.
constexpr const char* sweeps_key = "SEQUENCE_NUMBER";
} // namespace

bool GaugeStart::goes_on() const {
  return !from.empty() && from != "cold" && from != "hot";
}

io::GaugeConfiguration GaugeStart::begin(comm::Communicator& ranks, std::uint64_t seed) const {
  if (goes_on()) return read_configuration(ranks, from, size, accept, configuration).configuration;
  refuse_if(configuration > 0, "--configuration is for a file that --start names");
  refuse_if(size.empty(), "--size NXxNYxNZxNT is needed unless --start names a file");
  io::GaugeConfiguration c;
  c.extents = parse_extents(size, "--size");
  refuse_if(c.extents.rank() != 4, "--size {}: expected four extents", size);
  c.links = from == "hot" ? gauge::hot_links(c.extents, seed) : gauge::cold_links(c.extents);
  return c;
}

std::uint32_t sequence_number(const io::GaugeConfiguration& c) {
  for (const io::HeaderLine& line : c.header) {
    std::uint32_t value = 0;
    const std::string& text = line.value;
    if (line.key == sweeps_key &&
        std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{})
      return value;
  }
  return 0;
}

void describe(io::GaugeConfiguration& c, std::uint32_t done, const std::string& label) {
  const auto set = [&](const std::string& key, const std::string& value) {
    for (io::HeaderLine& line : c.header) {
      if (line.key != key) continue;
      line.value = value;
      return;
    }
    c.header.push_back({key, value});
  };
  set("ENSEMBLE_LABEL", label);
  set(sweeps_key, std::to_string(done));
  set("CREATOR", "ridge");
}

} // namespace ridge::app
