#include "system.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/launch.hpp>

#include "mover.hpp"
#include "share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
                                  {share_.count(), bodies.count(), ranks.ranks() == 1})),
        ranks_(ranks.ranks()) {
    const Extents count{bodies.count()};
    for (std::size_t c = 0; c < 3; ++c) {
      position_[c] = loaded(bodies.position[c], 1);
      velocity_[c] = loaded(bodies.velocity[c], 1);
    }
    mass_ = loaded(bodies.mass, parameters.gravity);
    for (Field<T>& sum : sums_)
      sum = Field<T>(device, count, "accelerations and potentials");
    force_.emplace(bound_force());
    std::vector<void*> sums;
    for (Field<T>& sum : sums_)
      sums.push_back(sum.data());
    gather_ = share_.bind(queue_, sums, static_cast<Index>(sizeof(T)));
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
    potential.resize(static_cast<std::size_t>(position_[0].count()));
    for (std::size_t c = 0; c < 3; ++c) {
      unload(position_[c], bodies.position[c]);
      unload(velocity_[c], bodies.velocity[c]);
    }
    unload(sums_[3], potential);
  }

  void wait() override { queue_.wait(); }
  [[nodiscard]] Record record() const override {
    Record record = force_->record();
    if (ranks_ == 1) return record;
    record.ranks = ranks_;
    const Index n = position_[0].count();
    record.size = Extents{n};
    record.work = pairs::work_of(pairs::traits_of<Gravity, P>(), {n, n, true});
    return record;
  }
  [[nodiscard]] const pairs::NamedSchedule& schedule() const override { return schedule_; }
  [[nodiscard]] Bytes held() const override {
    constexpr Index fields = 11;
    return Bytes{fields * position_[0].count() * static_cast<Index>(sizeof(T))} + queue_.held();
  }

private:
  Field<T> loaded(const std::vector<double>& values, double factor) {
    Field<T> field(queue_.device(), Extents{static_cast<Index>(values.size())}, "bodies");
    std::vector<T> stored(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      stored[i] = static_cast<T>(values[share_.body(static_cast<Index>(i))] * factor);
    copy_to_device(queue_, field.data(), stored.data(), field.count());
    queue_.wait();
    return field;
  }

  void unload(const Field<T>& field, std::vector<double>& values) {
    std::vector<T> stored(values.size());
    copy_to_host(queue_, stored.data(), static_cast<const T*>(field.data()), field.count());
    queue_.wait();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[share_.body(static_cast<Index>(i))] = stored[i];
  }

  /// Accelerations and potentials of all bodies at the present positions.
  void evaluate() {
    force_->run();
    if (gather_ == nullptr) return;
    gather_->begin();
    gather_->finish();
  }

  void move(const std::array<T, 2>& kicks, T drift) {
    Motion<T> motion;
    for (std::size_t c = 0; c < 3; ++c) {
      motion.position[c] = position_[c].elements();
      motion.velocity[c] = velocity_[c].elements();
      motion.acceleration[c] = sums_[c].elements();
    }
    motion.kicks = kicks;
    motion.drift = drift;
    move_bodies_(queue_, motion);
  }

  /// The summation of accelerations and potentials of this rank's share, bound once.
  [[nodiscard]] Program bound_force() {
    const Gravity gravity{parameters_.softening * parameters_.softening};
    auto call = pairs::among_themselves<Gravity, P>(
        gravity,
        {position_[0].elements(), position_[1].elements(), position_[2].elements(),
         mass_.elements()},
        {sums_[0].elements(), sums_[1].elements(), sums_[2].elements(), sums_[3].elements()});
    for (auto& target : call.targets)
      target.size = share_.count();
    for (auto& sum : call.sums)
      sum.size = share_.count();
    return {queue_, call, schedule_.schedule, "gravity"};
  }

  Queue queue_;
  MoveBodies<T>* move_bodies_ = offered<MoveBodies<T>>(queue_.device().kind(), typeid(Motion<T>));
  Parameters parameters_;
  Share share_;
  pairs::NamedSchedule schedule_;
  int ranks_;
  std::array<Field<T>, 3> position_, velocity_;
  Field<T> mass_;                ///< times G
  std::array<Field<T>, 4> sums_; ///< acceleration, potential
  T owed_kick_ = 0;              ///< that ends the last leapfrog; done with the next one's first
  std::optional<Program> force_; ///< what acts on this rank's share at the present positions
  std::unique_ptr<comm::Transfer> gather_; ///< what acts on the others'; null on one rank
};

} // namespace

std::unique_ptr<System> make_system(const Device& device, const Parameters& parameters,
                                    const Bodies& bodies, std::string_view schedule,
                                    comm::Communicator& ranks) {
  require_sound(parameters);
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
