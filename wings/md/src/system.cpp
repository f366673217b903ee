#include "system.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>

#include "halo.hpp"
#include "measures.hpp"
#include "pairs/motion.hpp"
#include "turns.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace ridge::md {

namespace {

template <class T>
class SystemOf final : public System {
  using Three = std::array<Field<T>, 3>;

public:
  SystemOf(const Device& device, const Parameters& parameters, const State& state,
           const pairs::NearInteraction& interaction, std::string_view schedule,
           comm::Communicator& ranks)
      : queue_(device), parameters_(parameters), mass_(state.bodies.mass[0]),
        schedule_(pairs::parse_list_schedule(schedule, device)), ranks_(ranks.ranks()),
        step_(state.step), heat_(state.heat) {
    const Extents count{state.bodies.count()};
    const bool goes_on = !state.listed[0].empty(); // with the lists that a run was stopped with
    const Start start = goes_on ? start_again(state) : start_of(state.bodies);
    position_ = loaded(goes_on ? start.listed : start.position, "positions");
    for (std::size_t c = 0; c < 3; ++c) {
      images_[c] = Field<int>(device, count, "periods of bodies");
      copy_to_device(queue_, images_[c].data(), start.images[c].data(), images_[c].count());
    }
    queue_.wait();
    velocity_ = loaded(state.bodies.velocity, "velocities");
    for (Field<T>& force : forces_)
      force = Field<T>(device, count, "forces");
    for (Field<T>& energy : energies_)
      energy = Field<T>(device, count, "energies");
    lists_.emplace(queue_, constant(position_),
                   pairs::ListOptions{parameters.cutoff, parameters.skin, box(),
                                      pairs::share_of(schedule_.schedule), ranks.rank(),
                                      ranks.ranks()});
    if (goes_on) load(start.position, position_);
    if (ranks.ranks() > 1) {
      halo_.emplace(queue_, ranks, *lists_, spans(position_));
      halo_->plan();
    }
    const pairs::NearBodies<T> bodies{
        queue_, *lists_, spans(forces_), {energies_[0].elements(), energies_[1].elements()}};
    if constexpr (std::is_same_v<T, float>) {
      programs_.emplace(interaction.single(bodies, schedule_.schedule));
    } else {
      programs_.emplace(interaction.twice(bodies, schedule_.schedule,
                                          parameters.precision == spatial::Precision::mixed));
    }
    programs_->force.run();
    halt_ = lists_->halt();
    turns_.emplace(queue_);
    measures_.emplace(queue_, ranks, *lists_, parameters_, schedule_.schedule);
    if (halt_.size != 0 && has(ThermostatKind::langevin)) {
      begin_ = Field<Index>(device, Extents{2}, "steps");
      count_from(step_);
    }
  }

  void advance(Index steps) override {
    if (!has(ThermostatKind::rescale)) return take_steps(steps);
    const Index interval = rescale_interval(parameters_.thermostat, parameters_.dt);
    for (const Index last = step_ + steps; step_ < last;) {
      take_steps(std::min(last - step_, interval - step_ % interval));
      if (step_ % interval == 0) rescale(interval);
    }
  }
  void take_steps(Index steps) {
    if (halt_.size != 0) return advance_watched(steps);
    const T half_kick = this->half_kick();
    for (Index step = 0; step < steps; ++step) {
      move({owed_kick_, half_kick}, static_cast<T>(parameters_.dt));
      if (!halo_) {
        if (lists_->has_moved()) rebuild();
      } else if (halo_->exchange({}, lists_->has_moved())) {
        rebuild();
      }
      programs_->force.run();
      owed_kick_ = half_kick;
      ++step_;
    }
  }

  void read(State& state) override {
    end_step();
    state.heat = heat_;
    programs_->energy.run();
    if (halo_) {
      gather();
      const Span<T> virial = energies_[1].elements();
      halo_->gather({energies_[0].elements(), virial, virial});
    }
    const auto built = lists_->built();
    for (std::size_t c = 0; c < 3; ++c) {
      unload_position(c, state.in_box[c], state.bodies.position[c]);
      unload(velocity_[c].elements(), state.bodies.velocity[c]);
      unload(built[c], state.listed[c]);
    }
    unload(energies_[0].elements(), state.potential);
    unload(energies_[1].elements(), state.virial);
    for (auto* const halves : {&state.potential, &state.virial}) {
      for (double& value : *halves)
        value /= 2;
    }
  }

  void sample(Samples& samples) override {
    end_step();
    if (parameters_.sampling.shells > 0) measures_->add_shells(some(), samples);
    if (!parameters_.sampling.diffusion) return;
    const bool begins = samples.time.empty();
    if (!begins) measures_->add_displacement(bodies(), step_, samples);
    const Index window = parameters_.sampling.window;
    if (!begins && (window == 0 || step_ - samples.origin < window)) return;
    take_origin(samples);
    measures_->add_displacement(bodies(), step_, samples);
  }

  void wait() override { queue_.wait(); }
  [[nodiscard]] Record record() const override {
    Record record = programs_->force.record();
    record.ranks = ranks_;
    if (halo_) record.details.push_back({"halo_bodies", static_cast<double>(halo_->halo()), {}});
    return record;
  }
  [[nodiscard]] const pairs::NamedListSchedule& schedule() const override { return schedule_; }
  [[nodiscard]] Index builds() const override { return lists_->data().builds + own_builds_; }
  void add_phases(Record& record) override {
    const auto add = [&](const char* name, const auto& what) {
      double least = std::numeric_limits<double>::infinity();
      for (int n = 0; n < 4; ++n) { // the first warms up
        queue_.wait();
        const auto begin = std::chrono::steady_clock::now();
        what();
        queue_.wait();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        least = std::min(least, took.count());
      }
      record.details.push_back({std::string("seconds_") + name, least, {}});
    };
    add("forces", [&] { programs_->force.run(); });
    if (halo_) add("exchange", [&] { (void)halo_->exchange(halted()); });
    if (halo_ && halt_.size != 0) add("forces_and_exchange", [&] { take_forces(); });
    if (halt_.size == 0) add("look", [&] { (void)lists_->has_moved(); });
    add("build", [&] { rebuild(); });
    add("move", [&] { move({half_kick(), half_kick()}, static_cast<T>(parameters_.dt)); });
  }

private:
  /// Bodies in the box, where they were when lists were built, and how many periods they are away.
  struct Start {
    std::array<std::vector<double>, 3> position, listed;
    std::array<std::vector<int>, 3> images;
  };
  [[nodiscard]] T period(std::size_t c) const { return static_cast<T>(parameters_.box[c]); }
  [[nodiscard]] Start start_of(const spatial::Bodies& bodies) const {
    constexpr double most = 1e9; // periods
    Start start{bodies.position, {}, {}};
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < start.position[c].size(); ++i) {
        double& x = start.position[c][i];
        const double away = std::floor(x / period(c));
        if (!(std::abs(away) <= most)) {
          throw UsageError(
              fmt::format("{} of body {} is {:g}, more than {:g} periods of {:g} away: "
                          "few digits are left of where it is in the box",
                          "xyz"[c], i, x, most, period(c)));
        }
        T at = static_cast<T>(x - away * period(c));
        start.images[c].push_back(static_cast<int>(away) + wrap(at, period(c)));
        x = at;
      }
    }
    return start;
  }
  /// The last build has left `listed` in the box. Snapshots of before 28 November 2026 have both
  /// anywhere.
  [[nodiscard]] Start start_again(const State& state) const {
    const bool has_images = !state.in_box[0].empty();
    Start start{has_images ? state.in_box : state.bodies.position, state.listed, {}};
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < start.position[c].size(); ++i) {
        T listed = static_cast<T>(start.listed[c][i]);
        const int away = wrap(listed, period(c));
        const double moved = state.bodies.position[c][i] - start.position[c][i];
        start.images[c].push_back(away + static_cast<int>(std::lround(moved / period(c))));
        start.listed[c][i] = listed;
        if (away != 0) start.position[c][i] -= static_cast<double>(away) * period(c);
      }
    }
    return start;
  }

  [[nodiscard]] pairs::Box box() const { return {{}, parameters_.box, {true, true, true}}; }
  static std::array<Span<T>, 3> spans(const Three& three) {
    return {three[0].elements(), three[1].elements(), three[2].elements()};
  }
  static pairs::Positions<T> constant(const Three& three) {
    return {three[0].elements(), three[1].elements(), three[2].elements()};
  }

  [[nodiscard]] Three loaded(const std::array<std::vector<double>, 3>& values, const char* what) {
    Three made;
    for (std::size_t c = 0; c < 3; ++c) {
      made[c] = Field<T>(queue_.device(), Extents{static_cast<Index>(values[c].size())}, what);
    }
    load(values, made);
    return made;
  }
  void load(const std::array<std::vector<double>, 3>& values, const Three& to) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::vector<T> stored(values[c].begin(), values[c].end());
      copy_to_device(queue_, to[c].data(), stored.data(), to[c].count());
      queue_.wait();
    }
  }
  void take_origin(Samples& samples) {
    if (halo_) gather();
    samples.origin = step_;
    std::vector<double> in_box;
    for (std::size_t c = 0; c < 3; ++c) {
      unload_position(c, in_box, samples.position[c]);
      unload(velocity_[c].elements(), samples.velocity[c]);
    }
  }
  /// In the box, and over all periods.
  void unload_position(std::size_t c, std::vector<double>& in_box, std::vector<double>& values) {
    unload(position_[c].elements(), in_box);
    std::vector<int> images(in_box.size());
    copy_to_host(queue_, images.data(), images_[c].data(), images_[c].count());
    queue_.wait();
    values.resize(in_box.size());
    for (std::size_t i = 0; i < images.size(); ++i)
      values[i] = in_box[i] + images[i] * double{period(c)};
  }
  void unload(const Span<const T>& from, std::vector<double>& values) {
    std::vector<T> stored(static_cast<std::size_t>(from.size));
    copy_to_host(queue_, stored.data(), from.data, from.size);
    queue_.wait();
    values.assign(stored.begin(), stored.end());
  }

  [[nodiscard]] T half_kick() const { return static_cast<T>(parameters_.dt / 2 / mass_); }

  /// GPUs: the host gives several steps at once, which stop by themselves where lists have to be
  /// built. The bits are those of steps one by one.
  void advance_watched(Index steps) {
    while (steps > 0) {
      const Index since = builds_without_host() && steps > turns_->expected()
                              ? give_rounds(steps)
                              : give(std::min(steps, turns_->expected()));
      const std::array<unsigned, pairs::ListHalt::words> words = read_halt();
      const Index done = static_cast<unsigned>(words[pairs::ListHalt::moves] - moves_);
      const Index built = static_cast<unsigned>(words[pairs::ListHalt::builds] - builds_);
      moves_ = words[pairs::ListHalt::moves];
      builds_ = words[pairs::ListHalt::builds];
      own_builds_ += built;
      owed_kick_ = half_kick();
      steps -= done;
      step_ += done;
      // Long before the word that counts moves begins again.
      if (begin_.count() != 0 && moves_ - counted_from_ > 1U << 30) count_from(step_);
      const bool halted = words[pairs::ListHalt::moved] != 0;
      turns_->done(done, built + (halted ? 1 : 0), halted ? 0 : since);
      if (!halted) continue;
      rebuild();
      programs_->force.run();
    }
  }
  [[nodiscard]] bool builds_without_host() const {
    return halo_ ? halo_->builds_without_host() : lists_->builds_without_host();
  }
  /// Rounds, each with a build at its end that does nothing unless a body has moved too far, and
  /// what is left of `steps`. The first ends where lists of before do. Returns that rest.
  Index give_rounds(Index steps) {
    constexpr Index most = 16;
    Index each = turns_->expected();
    for (Index round = 0; round < most && steps > each; ++round) {
      const T owed = std::exchange(owed_kick_, half_kick()); // 0 after a look at the state
      turns_->give_round(
          each - 1, lists_->data(), version(), owed == half_kick(), [this, owed] { drift(owed); },
          [this] { take_step(); }, [this] { give_build(); });
      steps -= each;
      each = turns_->round();
    }
    return steps <= each ? give(steps) : 0;
  }
  void give_build() {
    if (halo_) halo_->give_gather(spans(position_), spans(velocity_), halted());
    wrap_all(halt_);
    lists_->give_build_if_moved([&] {
      if (halo_) halo_->send_later(spans(velocity_));
    });
    if (!halo_) return programs_->force.run();
    halo_->give_plan(halt_, [&] { programs_->force.run(); });
  }
  /// Steps with their forces. Returns how many.
  Index give(Index steps) {
    drift(std::exchange(owed_kick_, half_kick()));
    turns_->give(steps - 1, lists_->data(), version(), !halo_ || halo_->needs_no_host(),
                 [this] { take_step(); });
    take_forces();
    return steps;
  }
  void drift(T owed) { move({owed, half_kick()}, static_cast<T>(parameters_.dt)); }
  void take_step() {
    take_forces();
    drift(half_kick());
  }
  /// After a move: positions go to other ranks beside the sums that need none of theirs.
  void take_forces() {
    if (!halo_) return programs_->force.run();
    halo_->exchange_beside(halted(), [&] { programs_->force.run(); });
  }
  /// Of launches that are recorded.
  [[nodiscard]] Index version() const { return halo_ ? halo_->version() : 0; }
  [[nodiscard]] std::array<unsigned, pairs::ListHalt::words> read_halt() {
    std::array<unsigned, pairs::ListHalt::words> words{};
    copy_to_host(queue_, words.data(), static_cast<const unsigned*>(halt_.data), halt_.size);
    queue_.wait();
    return words;
  }

  [[nodiscard]] bool has(ThermostatKind kind) const { return parameters_.thermostat.kind == kind; }
  /// Those that this rank moves.
  [[nodiscard]] Some some() const {
    const pairs::ListData& lists = lists_->data();
    return {position_[0].count(),
            halo_.has_value(),
            {lists.body.data + lists.first_slot, lists.end_slot - lists.first_slot}};
  }
  [[nodiscard]] BodiesAt<T> bodies() const {
    BodiesAt<T> at;
    at.position = constant(position_);
    at.velocity = constant(velocity_);
    for (std::size_t c = 0; c < 3; ++c)
      at.images[c] = images_[c].elements();
    at.which = some();
    return at;
  }

  /// Tells GPUs which step the next one is.
  void count_from(Index step) {
    counted_from_ = moves_;
    const std::array<Index, 2> begin{step, Index{moves_}};
    copy_to_device(queue_, begin_.data(), begin.data(), 2);
    queue_.wait();
  }
  /// The kick that is owed and, for the step that follows, what Langevin's thermostat does.
  void kick(T owed, bool draws) {
    const Thermostat& t = parameters_.thermostat;
    Langevin<T> l;
    for (std::size_t c = 0; c < 3; ++c) {
      l.velocity[c] = velocity_[c].elements();
      l.force[c] = forces_[c].elements();
    }
    l.bodies = some();
    l.kick = owed;
    l.draws = draws;
    l.kept = std::exp(-parameters_.dt / t.relaxation);
    l.noise = std::sqrt((1 - l.kept * l.kept) * t.temperature / mass_);
    l.seed = t.seed;
    l.step = step_;
    l.halt = halt_;
    if (begin_.count() != 0) l.begin = begin_.elements();
    langevin_(queue_, l);
  }
  /// Brings velocities to the time of positions.
  void end_step() {
    if (owed_kick_ == 0) return;
    if (has(ThermostatKind::langevin)) {
      kick(owed_kick_, false);
    } else {
      move({owed_kick_, 0}, 0);
    }
    owed_kick_ = 0;
  }
  void rescale(Index steps) {
    end_step();
    const Thermostat& t = parameters_.thermostat;
    const double freedom = degrees_of_freedom(position_[0].count(), parameters_);
    const double kinetic = measures_->squares(bodies(), 3 * t.temperature / mass_) * mass_ / 2;
    if (!(kinetic > 0)) return; // at rest: there is nothing to rescale
    const double factor =
        rescale_factor(t, kinetic, freedom, static_cast<double>(steps) * parameters_.dt, step_);
    Rescaling<T> rescaling{{}, some(), static_cast<T>(factor)};
    for (std::size_t c = 0; c < 3; ++c)
      rescaling.velocity[c] = velocity_[c].elements();
    rescale_(queue_, rescaling);
    heat_ += (factor * factor - 1) * kinetic;
  }

  /// The word that says that bodies have moved too far.
  [[nodiscard]] Span<unsigned> halted() const {
    return halt_.size == 0 ? Span<unsigned>{}
                           : Span<unsigned>{halt_.data + pairs::ListHalt::moved, 1};
  }
  void gather() { halo_->gather(spans(position_), spans(velocity_)); }
  void rebuild() {
    if (halo_) gather();
    wrap_all({});
    lists_->rebuild();
    if (halo_) halo_->plan();
  }
  /// At builds alone, so that bits do not depend on snapshots.
  void wrap_all(const Span<unsigned>& halt) {
    wrap_(queue_, {spans(position_),
                   {images_[0].elements(), images_[1].elements(), images_[2].elements()},
                   {period(0), period(1), period(2)},
                   halt});
  }

  void move(std::array<T, 2> kicks, T drift) {
    if (has(ThermostatKind::langevin)) {
      kick(kicks[0], true);
      kicks = {kicks[1], 0};
    }
    pairs::Motion<T> motion;
    for (std::size_t c = 0; c < 3; ++c) {
      motion.position[c] = position_[c].elements();
      motion.velocity[c] = velocity_[c].elements();
      motion.acceleration[c] = forces_[c].elements();
    }
    motion.kicks = kicks;
    motion.drift = drift;
    motion.moves_some = halo_.has_value();
    if (motion.moves_some) motion.some = some().part;
    // More ranks have few of the bodies that follow each other.
    if (motion.moves_some && halt_.size != 0 && ranks_ <= 8) {
      motion.home = halo_->homes();
      motion.first_slot = lists_->data().first_slot;
      motion.end_slot = lists_->data().end_slot;
    }
    if (drift != 0 && halt_.size != 0) {
      const double limit = parameters_.skin / 2;
      motion.watch = {lists_->built(), static_cast<T>(limit * limit), halt_};
    }
    move_bodies_(queue_, motion);
  }

  Queue queue_;
  pairs::MoveBodies<T>* move_bodies_ =
      offered<pairs::MoveBodies<T>>(queue_.device().kind(), typeid(pairs::Motion<T>));
  LangevinKick<T>* langevin_ =
      offered<LangevinKick<T>>(queue_.device().kind(), typeid(Langevin<T>));
  Rescale<T>* rescale_ = offered<Rescale<T>>(queue_.device().kind(), typeid(Rescaling<T>));
  Wrap<T>* wrap_ = offered<Wrap<T>>(queue_.device().kind(), typeid(WrapBodies<T>));
  Parameters parameters_;
  double mass_;
  pairs::NamedListSchedule schedule_;
  Three position_, velocity_, forces_; ///< positions are in the box since lists were built
  std::array<Field<int>, 3> images_;   ///< periods that each body is away from there
  std::array<Field<T>, 2> energies_;
  std::optional<pairs::Lists<T>> lists_;
  std::optional<pairs::NearForces> programs_;
  int ranks_;
  std::optional<Halo<T>> halo_; ///< over several ranks
  Span<unsigned> halt_;         ///< pairs::ListHalt; empty on the cpu
  unsigned moves_ = 0;          ///< that were done, as it counts
  unsigned builds_ = 0;         ///< and builds that looked themselves
  Index own_builds_ = 0;        ///< those, since the start
  std::optional<Turns> turns_;
  Index step_;
  double heat_;               ///< that rescaling has brought
  Field<Index> begin_;        ///< Langevin<T>, on GPUs
  unsigned counted_from_ = 0; ///< moves
  std::optional<Measures<T>> measures_;
  T owed_kick_ = 0; ///< that ends the last step; done with the next one's first
};

} // namespace

std::unique_ptr<System> make_system(const Device& device, const Parameters& parameters,
                                    const State& state, const pairs::NearInteraction& interaction,
                                    std::string_view schedule, comm::Communicator& ranks) {
  require_sound(parameters);
  require_sound(state.bodies, parameters);
  if (parameters.precision == spatial::Precision::fp32)
    return std::make_unique<SystemOf<float>>(device, parameters, state, interaction, schedule,
                                             ranks);
  return std::make_unique<SystemOf<double>>(device, parameters, state, interaction, schedule,
                                            ranks);
}

} // namespace ridge::md
