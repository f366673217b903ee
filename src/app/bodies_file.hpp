// The files of a run of bodies: FILE.h5 leads to snapshots, each in a file of its own, and
// FILE.xdmf shows them to ParaView.
//
//   FILE.h5             attributes of the run
//     /mass             N values: links to those of the first snapshot
//     /snapshots/STEP   links to FILE.STEP.h5
//   FILE.STEP.h5        a snapshot, with its mass
#pragma once

#include "../io/snapshot_files.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// As of every run that writes snapshots: what SnapshotFiles says.
class BodiesFile {
public:
  /// Claims `target` and the XDMF file beside it; `inputs` are what was read. Throws what
  /// OutputPlan throws.
  BodiesFile(const std::filesystem::path& target, const std::vector<std::filesystem::path>& inputs,
             bool overwrite);

  /// What it leaves: "run.h5 and run.xdmf".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string kept() const { return files_->kept("keeps"); }

protected:
  struct Head {
    std::uint64_t run;
    Index step;
    double time;
    const std::vector<double>& mass;
    int body_bytes;                     ///< of all that is written of a body, but for its mass
    int position_bytes, velocity_bytes; ///< of a component
  };
  /// Adds a snapshot. `begin` writes the attributes of the run to FILE.h5; `add` what the snapshot
  /// has but for step, time and mass. Throws Failure: the snapshots written before stay.
  void write(const Head& head, const io::SnapshotFiles::Fill& begin,
             const io::SnapshotFiles::Fill& add);

private:
  [[nodiscard]] std::string xdmf_of(const Head& head) const;

  io::OutputPlan plan_;
  std::optional<io::SnapshotFiles> files_;
  std::vector<double> times_;
};

} // namespace ridge::app
