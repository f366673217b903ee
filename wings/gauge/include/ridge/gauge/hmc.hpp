// Hybrid Monte Carlo of the Wilson gauge action (Duane and others, Phys. Lett. B 195 (1987) 216),
// alone or with two flavours of Wilson or clover fermions: momenta are drawn, links follow them for
// a trajectory, and the end is taken with probability min(1, exp(-dH)). Without fermions links have
// the same bits on every device and over ranks.
//
//   gauge::Hmc hmc(queue, links, {.beta = 5.7, .steps = 10});
//   const gauge::Trajectory last = hmc.trajectory();
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/record/record.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace ridge::comm {
class Communicator;
} // namespace ridge::comm

namespace ridge::gauge {

/// Leapfrog, or Omelyan's with two forces a step (Comput. Phys. Commun. 151 (2003) 272; lambda of
/// Takaishi and de Forcrand, Phys. Rev. E 73 (2006) 036706). Both are of second order: dH falls as
/// the square of a step.
enum class Integrator { leapfrog, omelyan };

struct HmcOptions {
  double beta = 6;
  double length = 1; ///< of a trajectory, in the time of H = sum of p_a^2 / 2 + S
  int steps = 10;    ///< of a trajectory
  Integrator integrator = Integrator::omelyan;
  std::uint64_t seed = 1;
  std::uint32_t first_trajectory = 0; ///< how many the links have behind them

  /// Two flavours of Wilson fermions, antiperiodic in time; none where it is not given.
  std::optional<double> kappa = {};
  /// The coefficient of their clover term; no term where it is not given.
  std::optional<double> csw = {};
  /// Steps by the gauge force within each move of links between fermion forces.
  int gauge_steps = 4;
  double force_tolerance = 1e-8;   ///< |b - A x| / |b| of conjugate gradients
  double action_tolerance = 1e-11; ///< the same, for dH
  Index most_iterations = 10000;
  /// Fermions have the same bits for any number of ranks, too; sums wait for the host.
  bool reproducible = false;

  /// Is called between launches, and in solves. What it throws ends a trajectory; the links are
  /// then those before it.
  std::function<void()> between = {};
};

/// The outcome of a trajectory.
struct Trajectory {
  double energy_change = 0; ///< dH
  bool accepted = false;
  double plaquette = 0; ///< of the links that it leaves
};

/// H of links, momenta and what else there is, by its parts.
struct Energy {
  double momenta = 0, gauge = 0, fermions = 0;
  double plaquette = 0; ///< the mean of Re tr U_p / 3
  [[nodiscard]] double sum() const { return momenta + gauge + fermions; }
};

/// Trajectories of links, in place.
class Hmc {
public:
  /// The links must outlive it. Throws UsageError for options that make no sense.
  Hmc(Queue& queue, const Links<double>& links, const HmcOptions& options);
  /// Over ranks: links are fields on `part.held()`. Collective, as all calls are then.
  Hmc(comm::Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
      const Links<double>& links, const HmcOptions& options);
  ~Hmc();

  /// One trajectory. `always`: its end is taken whatever dH is, as at first from afar. Where links
  /// or energies are no numbers dH is infinite, and the end never taken.
  Trajectory trajectory(bool always = false);
  /// How many trajectories the links have behind them, accepted or not.
  [[nodiscard]] std::uint32_t trajectories() const;
  /// The mean of Re tr U_p / 3.
  [[nodiscard]] double plaquette();

  // The parts of a trajectory.
  /// Draws momenta for the next trajectory, and pseudofermions.
  void draw();
  /// The molecular dynamics of a whole trajectory.
  void integrate();
  [[nodiscard]] Energy energy();
  /// momenta += step times the force, of links and fermions. Throws Failure where conjugate
  /// gradients do not converge, as all that need fermions do.
  void kick(double step);
  /// links = exp(step momenta) links.
  void move(double step);
  [[nodiscard]] Links<double>& momenta();
  /// Iterations of conjugate gradients so far, and how many solves they were of.
  struct Solves {
    Index solves = 0, iterations = 0;
  };
  [[nodiscard]] Solves solves() const;

  /// The record of what a trajectory launches, all together: gauge forces, moves of links and
  /// solves.
  [[nodiscard]] Record record() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::gauge
