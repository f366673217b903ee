// Bodies on a device under their own gravity, and their motion.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/device.hpp>
#include <ridge/pairs/schedule.hpp>
#include <ridge/record/record.hpp>

#include "parameters.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ridge::nbody {

/// x, y and z apart, a value a body.
using Accelerations = std::array<std::vector<double>, 3>;

/// A schedule as text, with the name it is known by.
struct ChosenSchedule {
  std::string name, text;
};

/// What a tree's next forces depend on beside bodies and accelerations.
struct TreeState {
  std::uint32_t limit = 0; ///< pairs::Tree::limit
  /// How often forces were summed over the nodes that there are; 0: the next ones are found anew.
  Index age = 0;
  double cost = 0;  ///< of the first of these sums
  Accelerations at; ///< where the bodies were when nodes were found; none at age 0

  friend bool operator==(const TreeState&, const TreeState&) = default;
};

/// A run that goes on: what its last snapshot knows beside places and speeds.
struct Before {
  Accelerations acceleration;
  std::vector<double> potential;
  TreeState tree;
};

/// The state of all bodies, kept on the device from step to step. With the same device, schedule
/// and parameters the same bodies give the same bits, however many
/// calls the steps are spread over and whether or not they are looked at in between.
class System {
public:
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  /// Gives the work of so many steps to the queue.
  virtual void advance(Index steps) = 0;
  /// Copies positions and velocities, both at the same time, into `bodies`, whose masses stay, and
  /// the potential at each body to `potential`.
  virtual void read(Bodies& bodies, std::vector<double>& potential) = 0;
  /// Waits for all work given. Throws Failure if any of it failed.
  virtual void wait() = 0;

  /// The accelerations that the next step begins with, where a tree's next forces depend on them;
  /// else empty.
  virtual Accelerations accelerations() { return {}; }

  /// What else a tree's next forces depend on.
  virtual TreeState tree() { return {}; }
  /// What a tree's potentials are short of on average, weighted by mass, by a sample of the bodies
  /// that is summed over all pairs in double precision. Waits.
  virtual double potential_lack() { return 0; }
  /// With the theta and order of a tree that were chosen.
  [[nodiscard]] virtual Parameters parameters() const = 0;
  /// Adds how far a tree's accelerations are off all pairs, on a sample of the bodies, and the time
  /// of each part of an evaluation to the record. Nothing can be done with the bodies afterwards.
  virtual void add_error(Record& /*record*/) {}

  /// What an evaluation of the forces does; untimed.
  [[nodiscard]] virtual Record record() = 0;
  /// With all fields chosen.
  [[nodiscard]] virtual ChosenSchedule schedule() const = 0;
  /// Memory of the device that is held, intermediate results included.
  [[nodiscard]] virtual Bytes held() const = 0;

protected:
  System() = default;
};

/// Over ranks each keeps a share of the bodies and computes what acts on them, while the others'
/// bodies go round a ring: first its own share, then that of the rank before it, and so on. So the
/// last bits depend on the number of ranks, as they do on the schedule. Calls but `record`,
/// `schedule`, `held` and `wait` are collective; `read` gives all bodies to all ranks.
///
/// Bodies on a device with their first accelerations on the way, or, of a tree, with those of
/// `before` where it has them. `schedule` is text as pairs::parse_schedule takes it, or for a tree
/// pairs::parse_tree_schedule; over ranks each keeps all bodies of a tree.
/// Throws UsageError for parameters or a schedule that is not right, Failure when the device's
/// memory is too small.
[[nodiscard]] std::unique_ptr<System>
make_system(const Device& device, const Parameters& parameters, const Bodies& bodies,
            std::string_view schedule, comm::Communicator& ranks, const Before& before = {});
/// The same on one rank.
[[nodiscard]] std::unique_ptr<System> make_system(const Device& device,
                                                  const Parameters& parameters,
                                                  const Bodies& bodies, std::string_view schedule);

} // namespace ridge::nbody
