#include "tree_system.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/tree.hpp>

#include "mover.hpp"
#include "tree_exchange.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ridge::nbody {

namespace {

template <class P>
class TreeSystem final : public System {
  using T = typename P::Stored;

public:
  TreeSystem(const Device& device, const Parameters& parameters, const Bodies& bodies,
             std::string_view schedule, comm::Communicator& ranks, const Before& before)
      : queue_(device), parameters_(parameters), exchange_(ranks, queue_),
        schedule_(pairs::parse_tree_schedule(schedule, device, P::name)) {
    const Extents count{bodies.count()};
    for (std::size_t c = 0; c < 3; ++c) {
      load(body_[c], bodies.position[c], 1, "bodies");
      load(velocity_[c], bodies.velocity[c], 1, "velocities");
    }
    load(body_[3], bodies.mass, parameters.gravity, "bodies");
    for (Field<T>& sum : sums_)
      sum = Field<T>(device, count, "accelerations and potentials");
    const auto sources = spans_of<const T>(body_);
    const bool goes_on = !before.acceleration[0].empty();
    const bool chooses = parameters.error > 0 && !goes_on;
    tree_.emplace(queue_, sources,
                  pairs::TreeOptions{chooses ? 0.5 : parameters.theta,
                                     chooses ? 2 : parameters.order, parameters.softening,
                                     std::get<0>(schedule_.schedule)});
    if (ranks.ranks() > 1) {
      tree_->share_out(ranks.rank(), ranks.ranks(),
                       [this](const pairs::TreeParts<P>& parts) { exchange_.run(parts); });
    }
    if (chooses) {
      (void)tree_->reach(parameters.error, parameters.order, spans_of<T>(sums_), sample());
      parameters_.theta = tree_->options().theta;
      parameters_.order = tree_->options().order;
      return;
    }
    if (!goes_on) {
      evaluate();
      return;
    }
    for (std::size_t c = 0; c < 3; ++c)
      load(sums_[c], before.acceleration[c], 1, "accelerations");
    load(sums_[3], before.potential, 1, "potentials");
    tree_->remember(spans_of<T>(sums_), before.limit);
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
    for (std::size_t c = 0; c < 3; ++c) {
      bodies.position[c] = unload(body_[c]);
      bodies.velocity[c] = unload(velocity_[c]);
    }
    potential = unload(sums_[3]);
  }
  Accelerations accelerations() override {
    return {unload(sums_[0]), unload(sums_[1]), unload(sums_[2])};
  }

  std::uint32_t limit() override { return tree_->limit(); }

  void add_error(Record& record) override {
    if (tree_->octree().nodes() == 0) return; // gone on from a snapshot, and no step taken
    const auto error = tree_->error(sample());
    if (parameters_.error > 0) record.details.push_back({"error_asked", parameters_.error, {}});
    record.details.push_back({"error_rms", error.rms, {}});
    record.details.push_back({"error_p99", error.p99, {}});
    record.details.push_back({"error_worst", error.worst, {}});
    record.details.push_back({"error_sample", static_cast<double>(error.sample), {}});
    for (const pairs::TreePhase& phase : tree_->phases(spans_of<T>(sums_)))
      record.details.push_back({"seconds_" + phase.field(), phase.time.value, {}});
  }
  [[nodiscard]] Parameters parameters() const override { return parameters_; }

  void wait() override { queue_.wait(); }
  [[nodiscard]] Record record() override { return tree_->record("gravity"); }
  [[nodiscard]] ChosenSchedule schedule() const override {
    return {schedule_.name, text::print_held(schedule_.schedule)};
  }
  [[nodiscard]] Bytes held() const override {
    constexpr Index arrays = 4 + 3 + 4;
    return Bytes{arrays * body_[0].count() * static_cast<Index>(sizeof(T)) + tree_->held().value +
                 queue_.held().value};
  }

private:
  /// Targets that errors are looked at of.
  [[nodiscard]] Index sample() const {
    constexpr Index most_pairs_of_gpus = Index{1} << 35;
    constexpr Index most_pairs = Index{1} << 30;
    const Index most = queue_.device().is_gpu() ? most_pairs_of_gpus : most_pairs;
    return std::clamp<Index>(most / body_[0].count(), 16, 2000);
  }
  template <class Element, std::size_t N>
  static std::array<Span<Element>, N> spans_of(const std::array<Field<T>, N>& fields) {
    std::array<Span<Element>, N> spans;
    for (std::size_t c = 0; c < N; ++c)
      spans[c] = Span<Element>(fields[c].data(), fields[c].count());
    return spans;
  }

  void load(Field<T>& field, const std::vector<double>& values, double factor, const char* name) {
    std::vector<T> stored(values.size());
    std::transform(values.begin(), values.end(), stored.begin(),
                   [=](double value) { return static_cast<T>(value * factor); });
    field = Field<T>(queue_.device(), Extents{static_cast<Index>(values.size())}, name);
    copy_to_device(queue_, field.data(), stored.data(), field.count());
    queue_.wait();
  }
  [[nodiscard]] std::vector<double> unload(const Field<T>& field) {
    std::vector<T> stored(static_cast<std::size_t>(field.count()));
    copy_to_host(queue_, stored.data(), field.data(), field.count());
    queue_.wait();
    return {stored.begin(), stored.end()};
  }

  void evaluate() {
    tree_->update();
    tree_->sum(spans_of<T>(sums_));
  }

  void move(const std::array<T, 2>& kicks, T drift) {
    Motion<T> motion;
    for (std::size_t c = 0; c < 3; ++c) {
      motion.position[c] = body_[c].elements();
      motion.velocity[c] = velocity_[c].elements();
      motion.acceleration[c] = std::as_const(sums_[c]).elements();
    }
    motion.kicks = kicks;
    motion.drift = drift;
    move_bodies_(queue_, motion);
  }

  Queue queue_;
  MoveBodies<T>* move_bodies_ = offered<MoveBodies<T>>(queue_.device().kind(), typeid(Motion<T>));
  Parameters parameters_;
  TreeExchange<P> exchange_;
  pairs::NamedTreeSchedule schedule_;
  std::array<Field<T>, 4> body_; ///< positions, and masses times G
  std::array<Field<T>, 3> velocity_;
  std::array<Field<T>, 4> sums_; ///< acceleration, potential
  std::optional<pairs::Tree<P>> tree_;
  T owed_kick_ = 0; ///< that ends the last leapfrog; done with the next one's first
};

} // namespace

std::unique_ptr<System> make_tree_system(const Device& device, const Parameters& parameters,
                                         const Bodies& bodies, std::string_view schedule,
                                         comm::Communicator& ranks, const Before& before) {
  switch (parameters.precision) {
  case Precision::fp32:
    return std::make_unique<TreeSystem<pairs::Fp32>>(device, parameters, bodies, schedule, ranks,
                                                     before);
  case Precision::fp64:
    return std::make_unique<TreeSystem<pairs::Fp64>>(device, parameters, bodies, schedule, ranks,
                                                     before);
  case Precision::mixed:
    break;
  }
  return std::make_unique<TreeSystem<pairs::Mixed>>(device, parameters, bodies, schedule, ranks,
                                                    before);
}

} // namespace ridge::nbody
