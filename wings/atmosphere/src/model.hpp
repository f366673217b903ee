// The mini-atmosphere on a device.
#pragma once

#include <ridge/chain/schedule.hpp>
#include <ridge/comm/communicator.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>

#include "background.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::atmosphere {

/// What to run.
struct Setup {
  Case which = Case::thermal;
  Index nx = 400, nz = 200;
  Box box = {}; ///< its viscosity takes one rank
  /// Acoustic terms along z are implicit: only sound along x and the wind limit the step. One rank.
  bool implicit = false;
  /// Seconds of a time step; the largest stable one where none is given.
  std::optional<double> step;
  /// Schedules of both sweeps as text; see ridge/chain/schedule.hpp.
  std::string schedule = "auto";
  std::string schedule_z; ///< of the sweep along z, where it is another

  [[nodiscard]] double dx() const { return box.length / static_cast<double>(nx); }
  [[nodiscard]] double dz() const { return box.height / static_cast<double>(nz); }
  [[nodiscard]] bool viscous() const { return box.viscosity > 0; }
};

/// Mass in kg/m and total energy in J/m of the slice.
struct Totals {
  double mass = 0, energy = 0;
};

/// A state on the host: four variables of nx * nz values, x fastest.
struct State {
  std::array<std::vector<double>, variables> of;
};

/// Over ranks each has some of the rows, and those around them that the sweeps along z need: so
/// only these exchange anything. The bits are those of one rank. Calls but those for facts are
/// collective.
class Atmosphere {
public:
  /// Throws UsageError for sizes too small for the interpolation or for so many ranks, steps beyond
  /// stability (with the largest stable one), and wrong schedules; Failure when the memory does not
  /// suffice.
  Atmosphere(const Device& device, const Setup& setup, comm::Communicator& ranks);
  /// On one rank.
  Atmosphere(const Device& device, const Setup& setup);
  ~Atmosphere();

  [[nodiscard]] const Setup& setup() const;
  [[nodiscard]] double time() const;
  /// Seconds of a whole step.
  [[nodiscard]] double step_length() const;
  [[nodiscard]] Index steps_done() const;
  /// One step, or less of one that would go beyond `end`.
  void step(double end);
  /// Steps until `end`, but about `most` at a time: on a GPU under graph=on, several pairs of steps
  /// are one launch.
  void advance(double end, Index most);
  /// Returns when all steps are done.
  void wait();

  /// All rows, on rank 0; empty on others.
  [[nodiscard]] State state();
  /// On rank 0; zero on others.
  [[nodiscard]] Totals totals();
  [[nodiscard]] const Profiles& profiles() const;
  [[nodiscard]] Queue& queue();

  /// Records of the sweeps of all ranks along x and along z, untimed; of implicit steps that of a
  /// stage, with the operations of three. Behind them that of viscosity, where there is some.
  [[nodiscard]] std::vector<Record> records() const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Perturbation of the potential temperature in K, nx * nz values.
[[nodiscard]] std::vector<double> temperature_of(const State& state, const Profiles& profiles,
                                                 Index nx);
/// Sums of a state.
[[nodiscard]] Totals totals_of(const State& state, const Profiles& profiles, const Setup& setup);

} // namespace ridge::atmosphere
