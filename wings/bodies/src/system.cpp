#include "system.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/apart.hpp>
#include <ridge/pairs/encounter.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/launch.hpp>

#include "pairs/motion.hpp"
#include "ring.hpp"
#include "share.hpp"
#include "sums.hpp"
#include "tree_system.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ridge::nbody {

namespace {

using Gravity = pairs::Gravity<>;
using ApartGravity = pairs::Apart<Gravity>;

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
    bool mutual = false;
    if (ranks.ranks() > 1) {
      for (Field<T>& part : parts_)
        part = Field<T>(device, count, "accelerations and potentials by other ranks' bodies");
      mutual = meets_others_once();
      ring_.emplace(ranks, queue_, bodies_.data(),
                    Bytes{bodies_.count() * static_cast<Index>(sizeof(T))},
                    mutual ? ranks.ranks() / 2 + 1 : ranks.ranks());
    }
    near_ = bound_stages<Gravity>(mutual, schedule);
    if constexpr (is_mixed) {
      apart_ = bound_stages<ApartGravity>(mutual, schedule);
      const Index parts = device.is_gpu() ? 1024 : 64;
      bounds_ = Field<T>(device, Extents{6 * parts}, "bounds of bodies");
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
    Record record = used_->forces.front().record();
    if (!ring_) return record;
    record.ranks = ring_->ranks();
    const Index n = share_.bodies();
    record.size = Extents{n};
    record.work = pairs::work_of(pairs::traits_of<Gravity, P>(), {n, n, true});
    record.details.push_back({"schedule_of_others", 0, used_->forces.back().record().schedule});
    return record;
  }
  [[nodiscard]] Parameters parameters() const override { return parameters_; }
  [[nodiscard]] ChosenSchedule schedule() const override {
    return {schedule_.name, pairs::to_text(schedule_.schedule)};
  }
  [[nodiscard]] Bytes held() const override {
    const Index arrays = 3 + 4 + (ring_ ? 4 : 0); // velocities and sums
    Index values = bodies_.count() + arrays * share_.count() + bounds_.count();
    for (const Stages* stages : {&near_, &apart_}) {
      for (const Meeting& meeting : stages->meetings)
        values += meeting.losses.count() + meeting.returned.count();
    }
    const Index visiting = ring_ ? ring_->held().value : 0;
    return Bytes{values * static_cast<Index>(sizeof(T)) + visiting + queue_.held().value};
  }

private:
  /// Own bodies and those of another rank, each pair once for both: what the others lose goes back
  /// to them, and what own ones lose to a third comes from there.
  struct Meeting {
    Bound forces;
    Field<T> losses, returned; ///< component after component
    comm::Transfer back;
  };
  /// What is done in turn with the bodies that come round.
  struct Stages {
    std::vector<Program> forces;   ///< of each stage of the ring, or of the first alone
    std::vector<Meeting> meetings; ///< of the others
  };
  template <class Law>
  using Encounter = pairs::Encounter<Law, P>;
  template <class Law>
  using BindEncounter = Bound(Queue&, const Encounter<Law>&, const pairs::GpuSchedule&);
  static constexpr bool is_mixed = std::is_same_v<P, pairs::Mixed>;

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
  /// The same as a law takes them: pairs::Apart has positions twice.
  template <class Law>
  [[nodiscard]] auto bodies_in(const T* block, Index count) const {
    const auto plain = sources_in(block, count);
    if constexpr (std::is_same_v<Law, Gravity>) {
      return plain;
    } else {
      const auto& [x, y, z, m] = plain;
      return std::array{x, y, z, x, y, z, m};
    }
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
    Stages& now = are_apart() ? apart_ : near_;
    used_ = &now;
    const int stages = ring_ ? ring_->stages() : 1;
    for (int stage = 0; stage < stages; ++stage) {
      if (ring_) ring_->begin(stage);
      if (stage == 0 || now.meetings.empty()) {
        now.forces[static_cast<std::size_t>(stage)].run();
      } else {
        now.meetings[static_cast<std::size_t>(stage - 1)].forces.run();
      }
      if (stage > 0) {
        const auto p = spans_of(parts_);
        add_up_(queue_, {spans_of(sums_), {p[0], p[1], p[2], p[3]}, false});
      }
      if (stage > 0 && !now.meetings.empty())
        take_back(now.meetings[static_cast<std::size_t>(stage - 1)]);
      if (ring_) ring_->finish(stage);
    }
  }

  /// Whether own bodies are so far from each other, beside the softening, that positions from one
  /// of them lack digits for pairs in fp32. By where they are now alone, so that a restart has the
  /// same bits.
  [[nodiscard]] bool are_apart() {
    if constexpr (is_mixed) {
      constexpr double most = 262144; // softenings: each is 64 units in the last place then
      constexpr Index few = 2048;     // bodies: GPUs wait longer for the host than they compute
      if (parameters_.softening == 0) return true;
      if (queue_.device().is_gpu() && share_.count() < few) return true;
      find_extent_(queue_, {{position(0), position(1), position(2)}, bounds_.elements()});
      std::vector<T> bounds(static_cast<std::size_t>(bounds_.count()));
      copy_to_host(queue_, bounds.data(), bounds_.data(), bounds_.count());
      queue_.wait();
      double squared = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        double low = bounds[c];
        double high = bounds[3 + c];
        for (std::size_t at = c; at < bounds.size(); at += 6) {
          low = std::min<double>(low, bounds[at]);
          high = std::max<double>(high, bounds[at + 3]);
        }
        squared += (high - low) * (high - low);
      }
      return !(squared <= most * most * parameters_.softening * parameters_.softening);
    } else {
      return false;
    }
  }

  /// What the own bodies lose to those of a rank that has met them.
  void take_back(Meeting& meeting) {
    meeting.back.run();
    const Index n = share_.count();
    Addition<T> lost{spans_of(sums_), {}, true};
    for (std::size_t c = 0; c < lost.from.size(); ++c)
      lost.from[c] = {meeting.returned.data() + static_cast<Index>(c) * n, n};
    add_up_(queue_, lost);
  }

  void move(const std::array<T, 2>& kicks, T drift) {
    pairs::Motion<T> motion;
    for (std::size_t c = 0; c < 3; ++c) {
      motion.position[c] = position(c);
      motion.velocity[c] = velocity_[c].elements();
      motion.acceleration[c] = sums_[c].elements();
    }
    motion.kicks = kicks;
    motion.drift = drift;
    move_bodies_(queue_, motion);
  }

  template <class Law>
  [[nodiscard]] Law law() const {
    return Law{Gravity{parameters_.softening * parameters_.softening}};
  }
  template <class Law>
  [[nodiscard]] Stages bound_stages(bool mutual, std::string_view schedule) {
    Stages stages;
    stages.forces.push_back(bound_own<Law>());
    for (int stage = 1; ring_ && stage < ring_->stages(); ++stage) {
      if (mutual) {
        stages.meetings.push_back(bound_meeting<Law>(stage));
      } else {
        stages.forces.push_back(bound_by<Law>(stage, schedule));
      }
    }
    return stages;
  }
  /// Under the schedule of gravity, or where nobody chose that, under the law's own default: bodies
  /// of pairs::Apart take more memory, and fewer variants are compiled of it.
  template <class Law>
  [[nodiscard]] Program bound(const pairs::Call<Law, P>& call, const pairs::Schedule& schedule) {
    if constexpr (!std::is_same_v<Law, Gravity>) {
      const pairs::Bodies bodies{call.targets[0].size, call.sources[0].size, call.skip_self};
      const pairs::Schedule usual =
          pairs::default_schedule(queue_.device(), pairs::traits_of<Gravity, P>(), bodies);
      const bool is_chosen = pairs::to_text(schedule) != pairs::to_text(usual);
      try {
        if (is_chosen || ring_) return {queue_, call, schedule, "gravity"};
      } catch (const UsageError&) { // not possible of this law
      }
      return {queue_, call, Pattern<pairs::Call<Law, P>>::default_schedule(queue_.device(), call),
              "gravity"};
    } else {
      return {queue_, call, schedule, "gravity"};
    }
  }
  /// What the bodies of this rank do to each other.
  template <class Law>
  [[nodiscard]] Program bound_own() {
    const auto call = pairs::among_themselves<Law, P>(
        law<Law>(), bodies_in<Law>(bodies_.data(), share_.count()), spans_of(sums_));
    return bound<Law>(call, schedule_.schedule);
  }
  /// What those of another rank do to them.
  template <class Law>
  [[nodiscard]] Program bound_by(int stage, std::string_view schedule) {
    const Index count = share_.count_of(ring_->owner(stage));
    pairs::Call<Law, P> call{law<Law>(), {}, {}, spans_of(parts_), false};
    const auto own = bodies_in<Law>(bodies_.data(), share_.count());
    for (std::size_t c = 0; c < call.targets.size(); ++c)
      call.targets[c] = own[c];
    call.sources = bodies_in<Law>(static_cast<const T*>(ring_->block(stage)), count);
    const auto traits = pairs::traits_of<Gravity, P>();
    const pairs::Bodies bodies{share_.count(), count, false};
    const auto* const gpu = std::get_if<pairs::GpuSchedule>(&schedule_.schedule);
    // Each pair once is for the own ones: other ranks have the other half of these pairs.
    if (gpu != nullptr && gpu->form == pairs::Form::symmetric) schedule = "auto";
    return bound<Law>(call, chosen_schedule(schedule, queue_.device(), traits, bodies).schedule);
  }

  /// Where the own bodies of all ranks take the symmetric form in one variant, which meetings have,
  /// too. Collective.
  [[nodiscard]] bool meets_others_once() {
    std::array<int, 3> mine = rows_of_meetings<Gravity>();
    if constexpr (is_mixed) {
      if (rows_of_meetings<ApartGravity>() != mine) mine = {};
    }
    const auto all = share_.ranks().gather(mine);
    return mine[0] > 0 &&
           std::all_of(all.begin(), all.end(), [&](const auto& rows) { return rows == mine; });
  }
  /// Block, tile and unroll of this rank's; zeros where there are none.
  template <class Law>
  [[nodiscard]] std::array<int, 3> rows_of_meetings() {
    const auto* const own = std::get_if<pairs::GpuSchedule>(&schedule_.schedule);
    if (own == nullptr || own->form != pairs::Form::symmetric) return {};
    const DeviceKind kind = queue_.device().kind();
    if (find_offer(kind, typeid(Encounter<Law>*)) == nullptr) return {};
    const auto mine = bodies_in<Law>(bodies_.data(), share_.count());
    const Encounter<Law> alone{law<Law>(), mine, mine, spans_of(parts_), {}, share_.most()};
    const bool is_compiled = static_cast<bool>(
        offered<BindEncounter<Law>>(kind, typeid(Encounter<Law>*))(queue_, alone, *own));
    return is_compiled ? std::array{own->block, own->tile, own->unroll} : std::array<int, 3>{};
  }
  template <class Law>
  [[nodiscard]] Meeting bound_meeting(int stage) {
    const int other = ring_->owner(stage);
    const Index count = share_.count_of(other);
    const int sums = static_cast<int>(parts_.size());
    Meeting meeting;
    meeting.losses = Field<T>(queue_.device(), Extents{sums * count}, "what other bodies lose");
    meeting.returned =
        Field<T>(queue_.device(), Extents{sums * share_.count()}, "what own bodies lose");
    Encounter<Law> encounter{law<Law>(),
                             bodies_in<Law>(bodies_.data(), share_.count()),
                             bodies_in<Law>(static_cast<const T*>(ring_->block(stage)), count),
                             spans_of(parts_),
                             meeting.losses.elements(),
                             share_.most()};
    comm::Communicator& ranks = share_.ranks();
    // Half way round two ranks have each other's bodies.
    if (2 * stage == ranks.ranks())
      encounter.half = ranks.rank() < other ? pairs::Half::first : pairs::Half::second;
    meeting.forces = offered<BindEncounter<Law>>(queue_.device().kind(), typeid(Encounter<Law>*))(
        queue_, encounter, std::get<pairs::GpuSchedule>(schedule_.schedule));
    const auto message = [&](const Field<T>& field, int peer) {
      const auto [data, size] = comm::Piece::of(field.data(), field.count());
      return std::vector{comm::Message{data, size, peer, stage}};
    };
    meeting.back =
        comm::Transfer({ranks, queue_}, {message(meeting.losses, other),
                                         message(meeting.returned, ring_->holder(stage))});
    return meeting;
  }

  Queue queue_;
  pairs::MoveBodies<T>* move_bodies_ =
      offered<pairs::MoveBodies<T>>(queue_.device().kind(), typeid(pairs::Motion<T>));
  AddUp<T>* add_up_ = offered<AddUp<T>>(queue_.device().kind(), typeid(Addition<T>));
  FindExtent<double>* find_extent_ =
      offered<FindExtent<double>>(queue_.device().kind(), typeid(Extent<double>));
  Parameters parameters_;
  Share share_;
  pairs::NamedSchedule schedule_; ///< of what the own bodies do to each other
  Field<T> bodies_;               ///< a block: positions, and masses times G
  std::array<Field<T>, 3> velocity_;
  std::array<Field<T>, 4> sums_;  ///< acceleration, potential
  std::array<Field<T>, 4> parts_; ///< of those what one other rank's bodies do; empty on one rank
  T owed_kick_ = 0;               ///< that ends the last leapfrog; done with the next one's first
  std::optional<Ring> ring_;      ///< none on one rank
  Stages near_, apart_;           ///< the second where bodies are apart, in mixed precision
  Stages* used_ = &near_;         ///< by the last step
  Field<T> bounds_;               ///< of parts of the bodies
};

} // namespace

std::unique_ptr<System> make_system(const Device& device, const Parameters& parameters,
                                    const Bodies& bodies, std::string_view schedule,
                                    comm::Communicator& ranks, const Before& before) {
  require_sound(parameters);
  if (parameters.forces == Forces::tree)
    return make_tree_system(device, parameters, bodies, schedule, ranks, before);
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
