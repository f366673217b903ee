// Bodies on a device that act on each other within a cutoff, and their motion.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/pairs/lists/near_forces.hpp>

#include "state.hpp"

#include <memory>
#include <string_view>

namespace ridge::md {

/// Velocity Verlet: half a kick, a drift, the forces, half a kick.
class System {
public:
  System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  virtual ~System() = default;

  virtual void advance(Index steps) = 0;
  /// Bodies, where they were when lists were built, and the energies, at the present step.
  virtual void read(State& state) = 0;
  /// Adds a sample of the present step, as the parameters' sampling asks. Collective.
  virtual void sample(Samples& samples) = 0;
  virtual void wait() = 0;
  /// Of the forces.
  [[nodiscard]] virtual Record record() const = 0;
  [[nodiscard]] virtual const pairs::NamedListSchedule& schedule() const = 0;
  /// How often lists were built since the start.
  [[nodiscard]] virtual Index builds() const = 0;
  /// Adds the times of the parts of a step, each done again alone, to a record: `seconds_forces`,
  /// `seconds_build`, ... Collective; nothing can be done with the bodies afterwards.
  virtual void add_phases(Record& record) = 0;
};

/// Over ranks each moves the bodies of a range of the curve that lists are sorted by, and knows
/// where those near them are (halo.hpp). The same bits follow on any number of ranks. Calls but
/// `record`, `schedule`, `wait` and `builds` are collective, and all ranks make them with the same
/// bodies.
///
/// Throws UsageError for parameters, bodies and schedules that cannot be; Failure where memory is
/// too little.
[[nodiscard]] std::unique_ptr<System> make_system(const Device& device,
                                                  const Parameters& parameters, const State& state,
                                                  const pairs::NearInteraction& interaction,
                                                  std::string_view schedule,
                                                  comm::Communicator& ranks);

} // namespace ridge::md
