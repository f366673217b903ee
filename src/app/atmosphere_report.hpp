// What `ridge atmosphere` says: what is run, how fast, what was conserved; or JSON.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/record/record.hpp>

#include "model.hpp"

#include <filesystem>
#include <string>

namespace ridge::app {

class AtmosphereReport {
public:
  AtmosphereReport(std::string which, double time, bool json)
      : which_(std::move(which)), time_(time), json_(json) {}

  /// Says what is run, on how many ranks: the first line.
  void begin(atmosphere::Atmosphere& air, int ranks) const;

  /// A step on all ranks, after so many seconds of steps. Collective.
  [[nodiscard]] static Record record_of(atmosphere::Atmosphere& air, double seconds,
                                        comm::Communicator& ranks);

  struct End {
    Record record; ///< for JSON
    atmosphere::Totals before, after;
    double seconds = 0; ///< of the steps alone
    std::size_t snapshots = 0;
    std::filesystem::path file, xdmf, picture;
  };
  void end(const atmosphere::Atmosphere& air, const End& end) const;

private:
  void print(const atmosphere::Atmosphere& air, const End& end) const;
  void print_json(const atmosphere::Atmosphere& air, const End& end) const;

  std::string which_;
  double time_;
  bool json_;
};

} // namespace ridge::app
