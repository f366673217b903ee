#include "system.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/encounter.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/launch.hpp>

#include "mover.hpp"
#include "ring.hpp"
#include "share.hpp"
#include "tree_system.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ridge::nbody {

namespace {

using Gravity = pairs::Gravity<>;

pairs::NamedSchedule chosen_schedule(std::string_view text, const Device& device,
                                     const pairs::Traits& traits, const pairs::Bodies& bodies) {
  pairs::NamedSchedule chosen = pairs::parse_schedule(text, device, traits, bodies);
  // How many threads there are decides how targets are grouped, and with it the last bits: a
  // restart with more or fewer cores must use as many. No more than have enough to do.
  if (auto* const cpu = std::get_if<pairs::CpuSchedule>(&chosen.schedule);
      cpu != nullptr && cpu->threads == 0) {
    constexpr Index worth_waking = 100000; // interactions
    cpu->threads = static_cast<int>(std::clamp<Index>(
        bodies.targets * bodies.sources / worth_waking, 1, cpu::default_threads()));
  }
  return chosen;
}

template <class P>
class SystemOf final : public System {
  /// Of positions, velocities, masses, accelerations and potentials alike.
  using T = typename P::Stored;
  static_assert(std::is_same_v<T, typename P::Summed>);

public:
  SystemOf(const Device& device, const Parameters& parameters, const Bodies& bodies,
           std::string_view schedule, comm::Communicator& ranks)
      : queue_(device), parameters_(parameters), share_(ranks, bodies.count()),
        schedule_(chosen_schedule(schedule, device, pairs::traits_of<Gravity, P>(),
                                  {share_.count(), share_.count(), true})),
        bodies_(device, Extents{4 * stride()}, "bodies") {
    const Extents count{share_.count()};
    for (std::size_t c = 0; c < 3; ++c) {
      load(position(c).data, bodies.position[c], 1);
      velocity_[c] = Field<T>(device, count, "velocities");
      load(velocity_[c].data(), bodies.velocity[c], 1);
    }
    load(bodies_.data() + 3 * stride(), bodies.mass, parameters.gravity);
    for (Field<T>& sum : sums_)
      sum = Field<T>(device, count, "accelerations and potentials");
    forces_.push_back(bound_own());
    if (ranks.ranks() > 1) {
      for (Field<T>& part : parts_)
        part = Field<T>(device, count, "accelerations and potentials by other ranks' bodies");
      const bool mutual = meets_others_once();
      ring_.emplace(ranks, queue_, bodies_.data(),
                    Bytes{bodies_.count() * static_cast<Index>(sizeof(T))},
                    mutual ? ranks.ranks() / 2 + 1 : ranks.ranks());
      for (int stage = 1; stage < ring_->stages(); ++stage) {
        if (mutual) {
          meetings_.push_back(bound_meeting(stage));
        } else {
          forces_.push_back(bound_by(stage, schedule));
        }
      }
    }
    evaluate();
  }

  void advance(Index steps) override {
    for (Index step = 0; step < steps; ++step) {
      for (const double fraction : leapfrogs(parameters_.integrator)) {
        const T half_kick = static_cast<T>(fraction * parameters_.dt / 2);
        move({owed_kick_, half_kick}, static_cast<T>(fraction * parameters_.dt));
        evaluate();
        owed_kick_ = half_kick;
      }
    }
  }

  void read(Bodies& bodies, std::vector<double>& potential) override {
    if (owed_kick_ != 0) move({owed_kick_, 0}, 0);
    owed_kick_ = 0;
    potential.resize(static_cast<std::size_t>(share_.bodies()));
    std::vector<std::vector<double>*> arrays;
    for (std::size_t c = 0; c < 3; ++c) {
      unload(position(c).data, bodies.position[c]);
      unload(velocity_[c].data(), bodies.velocity[c]);
      arrays.push_back(&bodies.position[c]);
      arrays.push_back(&bodies.velocity[c]);
    }
    unload(sums_[3].data(), potential);
    arrays.push_back(&potential);
    share_.gather(arrays);
  }

  void wait() override { queue_.wait(); }
  [[nodiscard]] Record record() override {
    Record record = forces_.front().record();
    if (!ring_) return record;
    record.ranks = ring_->ranks();
    const Index n = share_.bodies();
    record.size = Extents{n};
    record.work = pairs::work_of(pairs::traits_of<Gravity, P>(), {n, n, true});
    record.details.push_back({"schedule_of_others", 0, forces_.back().record().schedule});
    return record;
  }
  [[nodiscard]] Parameters parameters() const override { return parameters_; }
  [[nodiscard]] ChosenSchedule schedule() const override {
    return {schedule_.name, pairs::to_text(schedule_.schedule)};
  }
  [[nodiscard]] Bytes held() const override {
    const Index arrays = 3 + 4 + (ring_ ? 4 : 0); // velocities and sums
    Index values = bodies_.count() + arrays * share_.count();
    for (const Meeting& meeting : meetings_)
      values += meeting.losses.count() + meeting.returned.count();
    const Index visiting = ring_ ? ring_->held().value : 0;
    return Bytes{values * static_cast<Index>(sizeof(T)) + visiting + queue_.held().value};
  }

private:
  /// Own bodies and those of another rank, each pair once for both: what the others lose goes back
  /// to them, and what own ones lose to a third comes from there.
  struct Meeting {
    Bound forces;
    Field<T> losses, returned; ///< component after component
    std::unique_ptr<comm::Transfer> back;
  };
  using Encounter = pairs::Encounter<Gravity, P>;
  using BindEncounter = Bound(Queue&, const Encounter&, const pairs::GpuSchedule&);

  /// Elements between the components of a block of bodies: equal on all ranks, and whole lines.
  [[nodiscard]] Index stride() const { return ceil_div(share_.most(), Index{64}) * 64; }
  [[nodiscard]] Span<T> position(std::size_t c) const {
    return {bodies_.data() + static_cast<Index>(c) * stride(), share_.count()};
  }
  /// Positions and masses of a block as sources.
  [[nodiscard]] std::array<Span<const T>, 4> sources_in(const T* block, Index count) const {
    return {Span<const T>{block, count}, Span<const T>{block + stride(), count},
            Span<const T>{block + 2 * stride(), count}, Span<const T>{block + 3 * stride(), count}};
  }
  static std::array<Span<T>, 4> spans_of(const std::array<Field<T>, 4>& fields) {
    return {fields[0].elements(), fields[1].elements(), fields[2].elements(), fields[3].elements()};
  }

  /// This rank's share of values of all bodies.
  void load(T* to, const std::vector<double>& values, double factor) {
    std::vector<T> stored(static_cast<std::size_t>(share_.count()));
    for (std::size_t i = 0; i < stored.size(); ++i)
      stored[i] = static_cast<T>(values[static_cast<std::size_t>(share_.begin()) + i] * factor);
    copy_to_device(queue_, to, stored.data(), share_.count());
    queue_.wait();
  }
  void unload(const T* from, std::vector<double>& values) {
    std::vector<T> stored(static_cast<std::size_t>(share_.count()));
    copy_to_host(queue_, stored.data(), from, share_.count());
    queue_.wait();
    for (std::size_t i = 0; i < stored.size(); ++i)
      values[static_cast<std::size_t>(share_.begin()) + i] = stored[i];
  }

  /// Accelerations and potentials at the present positions: of the own bodies, then of those of the
  /// rank before this, and so on round the ring.
  void evaluate() {
    const int stages = ring_ ? ring_->stages() : 1;
    for (int stage = 0; stage < stages; ++stage) {
      if (ring_) ring_->begin(stage);
      if (stage == 0 || meetings_.empty()) {
        forces_[static_cast<std::size_t>(stage)].run();
      } else {
        meetings_[static_cast<std::size_t>(stage - 1)].forces.run();
      }
      if (stage > 0) {
        const auto p = spans_of(parts_);
        add_up_(queue_, {spans_of(sums_), {p[0], p[1], p[2], p[3]}, false});
      }
      if (stage > 0 && !meetings_.empty())
        take_back(meetings_[static_cast<std::size_t>(stage - 1)]);
      if (ring_) ring_->finish(stage);
    }
  }

  /// What the own bodies lose to those of a rank that has met them.
  void take_back(Meeting& meeting) {
    meeting.back->begin();
    meeting.back->finish();
    const Index n = share_.count();
    Addition<T> lost{spans_of(sums_), {}, true};
    for (std::size_t c = 0; c < lost.from.size(); ++c)
      lost.from[c] = {meeting.returned.data() + static_cast<Index>(c) * n, n};
    add_up_(queue_, lost);
  }

  void move(const std::array<T, 2>& kicks, T drift) {
    Motion<T> motion;
    for (std::size_t c = 0; c < 3; ++c) {
      motion.position[c] = position(c);
      motion.velocity[c] = velocity_[c].elements();
      motion.acceleration[c] = sums_[c].elements();
    }
    motion.kicks = kicks;
    motion.drift = drift;
    move_bodies_(queue_, motion);
  }

  [[nodiscard]] Gravity gravity() const {
    return Gravity{parameters_.softening * parameters_.softening};
  }
  /// What the bodies of this rank do to each other.
  [[nodiscard]] Program bound_own() {
    const auto call = pairs::among_themselves<Gravity, P>(
        gravity(), sources_in(bodies_.data(), share_.count()), spans_of(sums_));
    return {queue_, call, schedule_.schedule, "gravity"};
  }
  /// What those of another rank do to them.
  [[nodiscard]] Program bound_by(int stage, std::string_view schedule) {
    const Index count = share_.count_of(ring_->owner(stage));
    pairs::Call<Gravity, P> call{gravity(), {}, {}, spans_of(parts_), false};
    for (std::size_t c = 0; c < call.targets.size(); ++c)
      call.targets[c] = position(c);
    call.sources = sources_in(static_cast<const T*>(ring_->block(stage)), count);
    const pairs::Bodies bodies{share_.count(), count, false};
    const auto traits = pairs::traits_of<Gravity, P>();
    const auto* const own = std::get_if<pairs::GpuSchedule>(&schedule_.schedule);
    // Each pair once is for the own ones: other ranks have the other half of these pairs.
    if (own != nullptr && own->form == pairs::Form::symmetric) schedule = "auto";
    const auto chosen = chosen_schedule(schedule, queue_.device(), traits, bodies).schedule;
    return {queue_, call, chosen, "gravity"};
  }

  /// Where the own bodies of all ranks take the symmetric form in one variant, which meetings have,
  /// too. Collective.
  [[nodiscard]] bool meets_others_once() {
    const std::array<int, 3> mine = rows_of_meetings();
    const auto all = share_.ranks().gather(mine);
    return mine[0] > 0 &&
           std::all_of(all.begin(), all.end(), [&](const auto& rows) { return rows == mine; });
  }
  /// Block, tile and unroll of this rank's; zeros where there are none.
  [[nodiscard]] std::array<int, 3> rows_of_meetings() {
    const auto* const own = std::get_if<pairs::GpuSchedule>(&schedule_.schedule);
    if (own == nullptr || own->form != pairs::Form::symmetric) return {};
    const DeviceKind kind = queue_.device().kind();
    if (find_offer(kind, typeid(Encounter*)) == nullptr) return {};
    const auto mine = sources_in(bodies_.data(), share_.count());
    const Encounter alone{gravity(), mine, mine, spans_of(parts_), {}, share_.most()};
    const bool is_compiled =
        static_cast<bool>(offered<BindEncounter>(kind, typeid(Encounter*))(queue_, alone, *own));
    return is_compiled ? std::array{own->block, own->tile, own->unroll} : std::array<int, 3>{};
  }
  [[nodiscard]] Meeting bound_meeting(int stage) {
    const int other = ring_->owner(stage);
    const Index count = share_.count_of(other);
    const int sums = static_cast<int>(parts_.size());
    Meeting meeting;
    meeting.losses = Field<T>(queue_.device(), Extents{sums * count}, "what other bodies lose");
    meeting.returned =
        Field<T>(queue_.device(), Extents{sums * share_.count()}, "what own bodies lose");
    Encounter encounter{gravity(),
                        sources_in(bodies_.data(), share_.count()),
                        sources_in(static_cast<const T*>(ring_->block(stage)), count),
                        spans_of(parts_),
                        meeting.losses.elements(),
                        share_.most()};
    comm::Communicator& ranks = share_.ranks();
    // Half way round two ranks have each other's bodies.
    if (2 * stage == ranks.ranks())
      encounter.half = ranks.rank() < other ? pairs::Half::first : pairs::Half::second;
    meeting.forces = offered<BindEncounter>(queue_.device().kind(), typeid(Encounter*))(
        queue_, encounter, std::get<pairs::GpuSchedule>(schedule_.schedule));
    const auto message = [&](Field<T>& field, int peer) {
      const Bytes bytes{field.count() * static_cast<Index>(sizeof(T))};
      return comm::Message{field.data(), bytes, peer, stage};
    };
    meeting.back = comm::bind_on_device(ranks, queue_, comm::choose_carrier(ranks, queue_.device()),
                                        {message(meeting.losses, other)},
                                        {message(meeting.returned, ring_->holder(stage))});
    return meeting;
  }

  Queue queue_;
  MoveBodies<T>* move_bodies_ = offered<MoveBodies<T>>(queue_.device().kind(), typeid(Motion<T>));
  AddUp<T>* add_up_ = offered<AddUp<T>>(queue_.device().kind(), typeid(Addition<T>));
  Parameters parameters_;
  Share share_;
  pairs::NamedSchedule schedule_; ///< of what the own bodies do to each other
  Field<T> bodies_;               ///< a block: positions, and masses times G
  std::array<Field<T>, 3> velocity_;
  std::array<Field<T>, 4> sums_;  ///< acceleration, potential
  std::array<Field<T>, 4> parts_; ///< of those what one other rank's bodies do; empty on one rank
  T owed_kick_ = 0;               ///< that ends the last leapfrog; done with the next one's first
  std::optional<Ring> ring_;      ///< none on one rank
  std::vector<Program> forces_;   ///< of each stage of the ring, or of the first alone
  std::vector<Meeting> meetings_; ///< of the others
};

} // namespace

std::unique_ptr<System> make_system(const Device& device, const Parameters& parameters,
                                    const Bodies& bodies, std::string_view schedule,
                                    comm::Communicator& ranks, const Before& before) {
  require_sound(parameters);
  if (parameters.forces == Forces::tree) {
    return make_tree_system(device, parameters, bodies, schedule, ranks, before);
  }
  switch (parameters.precision) {
  case Precision::fp32:
    return std::make_unique<SystemOf<pairs::Fp32>>(device, parameters, bodies, schedule, ranks);
  case Precision::fp64:
    return std::make_unique<SystemOf<pairs::Fp64>>(device, parameters, bodies, schedule, ranks);
  case Precision::mixed:
    break;
  }
  return std::make_unique<SystemOf<pairs::Mixed>>(device, parameters, bodies, schedule, ranks);
}

std::unique_ptr<System> make_system(const Device& device, const Parameters& parameters,
                                    const Bodies& bodies, std::string_view schedule) {
  static const std::unique_ptr<comm::Communicator> one = comm::alone();
  return make_system(device, parameters, bodies, schedule, *one);
}

} // namespace ridge::nbody
