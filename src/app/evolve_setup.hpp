// What `ridge evolve` evolves: kernel, fields and boundaries, from the command line or from the
// file of a run that goes on.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>

#include "evolve_fields.hpp"
#include "evolve_output.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// What the user gave; what is absent has a default, or comes from the run that goes on.
struct EvolveOptions {
  std::string kernel, input, output, restart, device, schedule, picture, dt, boundary, spacing;
  std::string absorb, absorb_as, before, ranks, implicit, store_as;
  std::string source, wavelet, receivers, gather, shown, observed, memory; ///< of systems
  std::vector<std::string> coefficients, settings;
  std::vector<std::string> by_step;   ///< NUMBER=WAVELET, of systems
  std::vector<std::string> gradients; ///< FILE:/ARRAY, of systems
  std::optional<double> diffusivity, speed, tolerance;
  std::optional<Index> absorb_width, steps, every;
  bool forces = false; ///< on the bodies of a fluid
  bool reproducible = false, overwrite = false, json = false, check = false;
};

/// A file that a run reads, and what it is: "the input".
struct EvolveFile {
  std::filesystem::path file;
  std::string what;
};

/// All that a run needs before it is on a device.
struct EvolveSetup {
  EvolveRun run;
  lab::Evolution kernel;
  stencil::Boundaries boundaries;
  /// The datasets of the inputs in files, the newest level first; of a level before that is not
  /// given there is none, nor of the friction of an absorbing layer.
  std::vector<std::optional<InputDataset>> inputs;
  unsigned wide = 0; ///< the bits of inputs that stay fp32 where others have 16 bits
  /// Of the absorbing layer, where there is one.
  std::optional<Friction> friction;
  /// Gives the level before of a start at rest, in one sweep of the newest.
  std::optional<lab::Evolution> at_rest;
  double stable = 0;                           ///< the largest stable step; 0 where it is not known
  std::string dt_note;                         ///< how dt was chosen
  std::vector<EvolveSnapshot> snapshots_there; ///< that the run has, where it goes on
  std::vector<EvolveFile> files;               ///< all that are read
};

/// Reads all that is not on the device yet. Collective: what must be read whole is read by rank 0.
/// Throws UsageError that says what would be right, or Failure.
[[nodiscard]] EvolveSetup make_setup(const EvolveOptions& options, comm::Communicator& ranks);

} // namespace ridge::app
