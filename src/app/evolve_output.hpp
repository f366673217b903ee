// What `ridge evolve` leaves: snapshots, each a file of its own, and an HDF5 file and an XDMF file
// that lead to them.
#pragma once

#include <ridge/stencil/laplacian.hpp>

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
  std::string settings;     ///< of a kernel in a file: "rate=0.1 ...", separated by blanks
  std::string input;        ///< FILE.h5:/path of the start
  std::string coefficients; ///< those of the coefficient fields, a line each
  std::string boundary;
  std::string absorb; ///< faces with an absorbing layer
  std::string device, device_name, schedule;
  std::string field;    ///< the name of the dataset of the newest level
  std::string checksum; ///< of the coefficient and boundary fields
  stencil::Spacing spacing;
  double value = 1; ///< diffusivity or speed
  double dt = 1;
  Index absorb_width = 0, every = 0, target = 0;
  int levels = 1;
};

/// Each snapshot is complete before the files that lead to it say so: whatever happens at whatever
/// moment, these lead to complete snapshots. OUT.h5 has the run's parameters as attributes and
/// links /snapshots/STEP to the snapshot's file, OUT.STEP.h5, which holds the time levels.
class EvolveOutput {
public:
  /// A new run; one that goes on keeps the steps that it has. Throws UsageError when files would be
  /// lost, unless `overwrite`.
  EvolveOutput(std::filesystem::path file, std::vector<Index> steps, bool overwrite);

  /// Writes the levels, of the shape and type of `like`, of which `bring` gives the pieces. Throws
  /// Failure; the snapshots before it can then be read.
  [[nodiscard]] NotFinite write(const EvolveRun& run, Index step, const InputDataset& like,
                                const std::function<const void*(int level, const Piece&)>& bring);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::filesystem::path xdmf() const;
  [[nodiscard]] const std::vector<Index>& steps() const { return steps_; }

private:
  [[nodiscard]] std::filesystem::path snapshot_file(Index step) const;
  void write_index(const EvolveRun& run) const;
  void write_xdmf(const EvolveRun& run, const InputDataset& like) const;

  std::filesystem::path file_;
  std::vector<Index> steps_;
};

/// A run as its file tells it.
struct EvolveRestart {
  EvolveRun run;
  std::vector<Index> steps; ///< of its snapshots
  /// The levels of the last one.
  std::vector<DatasetName> levels;
};
/// Throws UsageError for a file that is none of a run, Failure for a damaged one.
[[nodiscard]] EvolveRestart read_evolve_restart(const std::filesystem::path& file);

/// "u", "u_before": the datasets of the levels.
[[nodiscard]] std::string level_name(const std::string& field, int level);

} // namespace ridge::app
