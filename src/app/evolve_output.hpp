// What `ridge evolve` leaves: snapshots, each a file of its own, and an HDF5 file and an XDMF file
// that lead to them.
#pragma once

#include <ridge/stencil/laplacian.hpp>

#include "../io/snapshot_files.hpp"
#include "hdf5_input.hpp"
#include "transfer.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridge::app {

/// What a run is: all that its snapshots depend on.
struct EvolveRun {
  std::string kernel;
  std::string folder;        ///< where it was started: names of files are relative to it
  std::string kernel_digest; ///< of a kernel in a file: of its text
  std::string settings;      ///< of a kernel in a file: "rate=0.1 ...", separated by blanks
  std::string input;         ///< FILE.h5:/path of the start
  std::string coefficients;  ///< those of the coefficient fields, a line each
  std::string boundary;
  std::string absorb; ///< faces with an absorbing layer
  std::string device, device_name, schedule;
  std::string field;    ///< the dataset of the newest level: "u", or "group/u"
  std::string checksum; ///< of the coefficient and boundary fields
  stencil::Spacing spacing;
  double value = 1; ///< diffusivity or speed
  double dt = 1;
  std::string implicit;      ///< the scheme of implicit steps; empty: explicit ones
  double tolerance = 0;      ///< of implicit steps
  bool reproducible = false; ///< implicit steps have the bits of one rank on any number
  std::string storage;       ///< fp16 or bf16; empty: fields hold the numbers of the input
  std::string stored;        ///< "u=fp16,c=fp32", where fields are stored differently
  Index absorb_width = 0, every = 0, target = 0;
  int levels = 1;
};

using EvolveSnapshot = io::RunSnapshot;

/// After the files of a run that goes on were claimed: throws UsageError unless it has still the
/// snapshots that were read before. Another run may have gone on with it meanwhile.
void require_latest(const std::vector<EvolveSnapshot>& there, const std::filesystem::path& file);

/// Adds a snapshot: OUT.h5 has the run's parameters as attributes, and OUT.STEP.h5 the levels, of
/// the shape and type of `like`, of which `bring` gives the pieces. Throws what SnapshotFiles
/// throws.
[[nodiscard]] NotFinite
write_levels(io::SnapshotFiles& files, const EvolveRun& run, Index step, const InputDataset& like,
             const std::function<const void*(int level, const Piece&)>& bring);

/// A run as its file tells it.
struct EvolveRestart {
  EvolveRun run;
  std::vector<EvolveSnapshot> snapshots; ///< in the order of their steps
  /// The levels of the last one.
  std::vector<DatasetName> levels;
};
/// Throws UsageError for a file that is none of a run, Failure for a damaged one.
[[nodiscard]] EvolveRestart read_evolve_restart(const std::filesystem::path& file);

/// What tells a run from others: a digest of all that its fields depend on, but the start's values.
[[nodiscard]] std::string identity_of(const EvolveRun& run);

/// Of a text that says all.
[[nodiscard]] std::string digest_of(const std::string& text);

/// "u", "u_before": the datasets of the levels.
[[nodiscard]] std::string level_name(const std::string& field, int level);

} // namespace ridge::app
