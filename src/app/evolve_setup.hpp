// What `ridge evolve` evolves: kernel, fields and boundaries, from the command line or from the
// file of a run that goes on.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>

#include "evolve_fields.hpp"
#include "evolve_output.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// What the user gave; what is absent has a default, or comes from the run that goes on.
struct EvolveOptions {
  std::string kernel, input, output, restart, device, schedule, picture, dt, boundary, spacing;
  std::string absorb, before, ranks, implicit, store_as;
  std::string field; ///< the dataset in snapshots: "a/u" of -o FILE.h5:/a/u
  std::vector<std::string> coefficients, settings;
  std::optional<double> diffusivity, speed, tolerance;
  std::optional<Index> absorb_width, steps, every;
  bool reproducible = false, overwrite = false, json = false;
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

/// The words between the separators.
[[nodiscard]] std::vector<std::string> words_in(const std::string& text, char separator);

/// Reads all that is not on the device yet. Collective: what must be read whole is read by rank 0.
/// Throws UsageError that says what would be right, or Failure.
[[nodiscard]] EvolveSetup make_setup(const EvolveOptions& options, comm::Communicator& ranks);

} // namespace ridge::app
