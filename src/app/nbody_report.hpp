// What `ridge nbody` says: a line a snapshot, and a summary; or JSON.
#pragma once

#include <ridge/record/record.hpp>

#include "nbody_file.hpp"

#include <nbody/periods.hpp>

namespace ridge::app {

/// Follows a run from its first snapshot to its end.
class NbodyReport {
public:
  explicit NbodyReport(bool json) : json_(json) {}

  /// Says what is run: the first lines.
  void begin(const NbodyRun& run, Index bodies, const Record& force, const std::string& note);
  void snapshot(const NbodyRun& run, const nbody::Snapshot& snapshot);

  struct End {
    Record force; ///< of one evaluation, untimed
    Index steps = 0, evaluations = 0;
    double seconds = 0; ///< of the steps alone
    Bytes on_device, on_host;
    std::string output; ///< empty where there is none
    const nbody::PeriodMeter* periods = nullptr;
  };
  void end(const NbodyRun& run, const End& end);

private:
  struct Line {
    Index step;
    double time, error;
    nbody::Diagnostics diagnostics;
  };
  void print_json(const NbodyRun& run, const End& end) const;

  bool json_;
  Index bodies_ = 0;
  double largest_error_ = 0;
  std::vector<Line> lines_;
};

} // namespace ridge::app
