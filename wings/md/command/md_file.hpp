// The files of a run of molecular dynamics.
//
//   FILE.h5        attributes: program, format, run, interaction, parameters, device, ...
//   FILE.STEP.h5   position, over all periods in fp64, and velocity of N x 3 values, potential and
//                  mass of N, position_in_box, what a restart goes on from, position_of_lists,
//                  where the bodies were when the lists of near pairs were built, what was sampled
//                  (md_samples.hpp), and as attributes the box, energies, temperature and pressure
#pragma once

#include "../src/state.hpp"
#include "app/bodies_file.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// What a snapshot says that its bodies were found to have.
struct MdFound {
  double potential = 0, pressure = 0;
};

/// What holds for all of a run.
struct MdRun : BodiesFacts {
  std::string interaction;
  std::vector<std::string> settings; ///< of the interaction: "epsilon=2"
  md::Parameters parameters;
  double energy = 0;            ///< of the very first state
  std::optional<MdFound> found; ///< at the snapshot that it goes on from
};
using MdBeginning = BodiesBeginning<MdRun, md::State>;

/// The last complete snapshot of a run's file. Throws UsageError when `file` is not the file of a
/// run or its last snapshot is not of that run or was changed; Failure when it cannot be read.
[[nodiscard]] MdBeginning read_md_restart(const std::filesystem::path& file);

/// The periods of the box that a snapshot of such a run is in; nothing of other bodies. Throws what
/// `read_bodies` throws.
[[nodiscard]] std::optional<std::array<double, 3>> read_box(const std::string& input);

/// Adds a snapshot. Throws Failure: those written before stay.
void write_md(BodiesFile& file, const MdRun& run, const md::State& state,
              const md::Diagnostics& diagnostics);

} // namespace ridge::app
