// The files of an N-body run.
//
//   FILE.h5        attributes: program, format, run, parameters, device, schedule, ...
//   FILE.STEP.h5   position and velocity of N x 3 values, potential and mass of N, and what is
//                  conserved as attributes; the last attribute, checksum, makes it complete
//
// Where a run in fp32 is far from the origin of the coordinates, positions are stored in fp64, and
// position_from_origin has them in fp32 as they are computed with, relative to origin_x, origin_y
// and origin_z. Where forces are of a tree, there is acceleration of N x 3 values, too, and
// nodes_found_at of as many where the next forces take the nodes of those before.
#pragma once

#include "bodies_file.hpp"

#include <nbody/snapshot.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ridge::app {

/// What holds for all of a run.
struct NbodyRun {
  std::uint64_t id = 0; ///< hash of the very first state; restarts keep it
  std::string start;    ///< what it began from
  nbody::Parameters parameters;
  std::string device, device_name;
  std::string schedule;       ///< with all fields
  nbody::Diagnostics initial; ///< of the very first state; of its parts only the energies
};

/// What a restart goes on from.
struct NbodyRestart {
  NbodyRun run;
  nbody::Snapshot last;       ///< without its diagnostics, and its potential but of a tree
  std::filesystem::path file; ///< of the last snapshot
};

/// The last complete snapshot of a run's file. Throws UsageError when `file` is not the file of a
/// run or its last snapshot is not of that run or was changed; Failure when it cannot be read.
[[nodiscard]] NbodyRestart read_restart(const std::filesystem::path& file);

/// Writes a run's file a snapshot at a time.
class NbodyWriter : public BodiesFile {
public:
  using BodiesFile::BodiesFile;
  /// Throws Failure: the snapshots written before stay.
  void write(const NbodyRun& run, const nbody::Snapshot& snapshot);
};

} // namespace ridge::app
