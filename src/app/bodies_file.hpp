// The file of a run of bodies: HDF5 with all snapshots, and an XDMF file beside it for ParaView.
//
//   /                      attributes of the run
//   /mass                  N values
//   /snapshots/0000000100  a group a snapshot, named by its step, with a link to mass
#pragma once

#include <ridge/core/extents.hpp>

#include "../io/output_file.hpp"
#include "hdf5_handle.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

class Writing;

/// Appears with the first snapshot; from then on it is complete and closed between snapshots. Room
/// on the disk is taken before a snapshot is begun, so that a full disk costs the new one only.
class BodiesFile {
public:
  /// What it leaves: "run.h5 and run.xdmf".
  [[nodiscard]] std::string text() const;
  /// Ends what is said of an error: "; run.h5 keeps the snapshots up to step 200". Empty before the
  /// first.
  [[nodiscard]] std::string kept() const;

protected:
  /// Claims `target` and the XDMF file beside it; `inputs` are what was read. Throws what
  /// OutputPlan throws.
  BodiesFile(const std::filesystem::path& target, const std::vector<std::filesystem::path>& inputs,
             bool overwrite);

  struct Head {
    Index step;
    double time;
    const std::vector<double>& mass;
    int body_bytes;                     ///< of all that is written of a body
    int position_bytes, velocity_bytes; ///< of a component
  };
  /// Adds a snapshot. `begin` writes the attributes of the run, once; `add` what its group has but
  /// for the mass. Throws Failure: the snapshots written before stay.
  void write(
      const Head& head, const std::function<void(const Writing&)>& begin,
      const std::function<void(const Writing&, const Handle& group, const std::string& path)>& add);

private:
  std::filesystem::path target_, xdmf_;
  io::OutputPlan plan_;
  std::optional<io::OutputFile> first_; ///< until the file has appeared
  std::optional<Index> last_step_;
  std::vector<double> times_;
  std::vector<std::string> groups_;
};

} // namespace ridge::app
