// What `ridge atmosphere` leaves: snapshots, an HDF5 file that leads to them, and an XDMF file that
// shows them to ParaView.
#pragma once

#include "../io/snapshot_files.hpp"
#include "model.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::app {

/// Snapshots are numbered, not named by their steps: group /NNNN of FILE.h5 is FILE.000000NNNN.h5.
/// It has the datasets density, x_momentum, z_momentum, heat (density times potential temperature)
/// and potential_temperature, all perturbations but the momenta, nz rows of nx, in SI units, and
/// the attribute time in s.
class AtmosphereOutput {
public:
  /// The plan, which must outlive it, is to be claimed before the first is written.
  AtmosphereOutput(io::OutputPlan& plan, std::filesystem::path file,
                   const atmosphere::Setup& setup);

  /// Throws Failure when the snapshot does not fit the disk or cannot be written; the file then
  /// holds those before it.
  void write(double time, const atmosphere::State& state, const atmosphere::Profiles& profiles);

  [[nodiscard]] std::size_t snapshots() const { return files_.snapshots().size(); }
  [[nodiscard]] std::filesystem::path xdmf() const { return files_.xdmf(); }

private:
  [[nodiscard]] std::string xdmf_text() const;

  io::SnapshotFiles files_;
  atmosphere::Setup setup_;
  std::vector<double> times_;
};

} // namespace ridge::app
