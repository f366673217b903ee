// What `ridge atmosphere` says: what is run, how fast, what was conserved; or JSON.
#pragma once

#include <ridge/record/record.hpp>

#include "model.hpp"

#include <filesystem>
#include <string>

namespace ridge::app {

class AtmosphereReport {
public:
  AtmosphereReport(std::string which, double time, bool json)
      : which_(std::move(which)), time_(time), json_(json) {}

  /// Says what is run: the first line.
  void begin(atmosphere::Atmosphere& air) const;

  struct End {
    atmosphere::Totals before, after;
    double seconds = 0; ///< of the steps alone
    std::size_t snapshots = 0;
    std::filesystem::path file, xdmf, picture;
  };
  void end(atmosphere::Atmosphere& air, const End& end) const;

private:
  void print(const atmosphere::Atmosphere& air, const End& end) const;
  void print_json(atmosphere::Atmosphere& air, const End& end) const;

  std::string which_;
  double time_;
  bool json_;
};

} // namespace ridge::app
