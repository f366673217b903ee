// The files of an N-body run.
//
//   FILE.h5        attributes: program, format, run, parameters, device, schedule, ...
//   FILE.STEP.h5   position and velocity of N x 3 values, potential and mass of N, and what is
//                  conserved as attributes
//
// Where a run in fp32 is far from the origin of the coordinates, positions are stored in fp64, and
// position_from_origin has them in fp32 as they are computed with, relative to origin_x, origin_y
// and origin_z. Where forces are of a tree, there is acceleration of N x 3 values, too, and
// nodes_found_at of as many where the next forces take the nodes of those before.
#pragma once

#include "../src/snapshot.hpp"
#include "app/bodies_file.hpp"

#include <filesystem>

namespace ridge::app {

/// What holds for all of a run.
struct NbodyRun : BodiesFacts {
  nbody::Parameters parameters;
  nbody::Diagnostics initial; ///< of the very first state; of its parts only the energies
};
/// What a restart goes on from has no diagnostics, and a potential only of a tree.
using NbodyBeginning = BodiesBeginning<NbodyRun, nbody::Snapshot>;

/// The last complete snapshot of a run's file. Throws UsageError when `file` is not the file of a
/// run or its last snapshot is not of that run or was changed; Failure when it cannot be read.
[[nodiscard]] NbodyBeginning read_nbody_restart(const std::filesystem::path& file);

/// Adds a snapshot. Throws Failure: those written before stay.
void write_nbody(BodiesFile& file, const NbodyRun& run, const nbody::Snapshot& snapshot);

} // namespace ridge::app
