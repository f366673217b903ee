// `ridge evolve` of systems: several arrays that change each other, with sources and receivers.
#pragma once

#include <ridge/chain/system/system.hpp>

#include "app/evolve_output.hpp"
#include "app/evolve_setup.hpp"
#include "evolve_probes.hpp"
#include "io/snapshot_files.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// The options of `ridge evolve`, and those of systems alone.
struct SystemOptions : EvolveOptions {
  std::string absorb_as, source, wavelet, receivers, gather, shown, observed, memory;
  std::vector<std::string> by_step;   ///< NUMBER=WAVELET
  std::vector<std::string> gradients; ///< FILE:/ARRAY
  bool forces = false;                ///< on the bodies of a fluid
  bool check = false;
};

/// The system that is asked for, by name, in a file, or by the run that goes on; nothing where it
/// is none.
[[nodiscard]] std::optional<chain::SystemKernel> find_system(const SystemOptions& options);

void evolve_system(const SystemOptions& options, const chain::SystemKernel& kernel);
/// The run of --gradient.
void evolve_gradient(const SystemOptions& options, const chain::SystemKernel& kernel);

/// What a run of a system is: names of attributes and their values, numbers as text that brings
/// them back.
using SystemRun = std::map<std::string, std::string>;

/// Numbers of a run as text that brings them back.
[[nodiscard]] std::string exact(double number);
[[nodiscard]] double number_in(const SystemRun& run, const char* name);
[[nodiscard]] Index count_in(const SystemRun& run, const char* name);
[[nodiscard]] std::string list_in(const std::vector<std::string>& words, const char* between);

/// A dataset of a snapshot: its name and points; `plane(z, to)` gives one of its planes. One that
/// steps do not change is in the snapshot `home`, and others lead to it.
struct SnapshotField {
  std::string name;
  Index3 points;
  int dimensions;
  std::function<void(Index z, void* to)> plane;
  std::string home = {};
};

/// What tells a run from others: a digest of all that its arrays depend on, but the start's values.
[[nodiscard]] std::string identity_of(const SystemRun& run);

/// Adds a snapshot: OUT.h5 has the run's parameters as attributes, and OUT.STEP.h5 the arrays.
/// Throws what SnapshotFiles throws.
void write_arrays(io::SnapshotFiles& files, const SystemRun& run, Index step,
                  const std::function<double(Index step)>& time_of,
                  const std::array<double, 3>& spacing, const std::vector<SnapshotField>& fields,
                  int element_bytes);

/// The run's name for the snapshot that has its medium; each snapshot has it, too.
inline constexpr const char* medium_attribute = "medium";

struct SystemRestart {
  SystemRun run;
  std::vector<EvolveSnapshot> snapshots;
};
/// Whether a file is of a run of a system.
[[nodiscard]] bool is_system_run(const std::filesystem::path& file);
/// Throws UsageError for a file that is none.
[[nodiscard]] SystemRestart read_system_restart(const std::filesystem::path& file);

} // namespace ridge::app
