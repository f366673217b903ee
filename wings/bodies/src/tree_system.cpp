#include "tree_system.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/tree.hpp>

#include "domains.hpp"
#include "moved_bodies.hpp"
#include "pairs/motion.hpp"
#include "tree_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace ridge::nbody {

namespace {

template <class P>
class TreeSystem final : public System {
  using T = typename P::Stored;
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t mass_column = 6;
  /// Bodies then have moved so little that domains hardly overlap, and dividing costs little.
  static constexpr Index steps_of_domains = 16;

public:
  TreeSystem(const Device& device, const Parameters& parameters, const Bodies& bodies,
             std::string_view schedule, comm::Communicator& ranks, const Before& before)
      : queue_(device), parameters_(parameters), ranks_(ranks),
        schedule_(pairs::parse_tree_schedule(schedule, device, P::name)), count_(bodies.count()) {
    if (parameters.domains && ranks.ranks() > 1) domains_.emplace(ranks, count_);
    const bool goes_on = !before.acceleration[0].empty();
    Columns columns;
    const auto add = [&](const std::vector<double>& values) {
      columns.push_back(domains_ ? domains_->take(values) : values);
    };
    for (const auto* const vectors : {&bodies.position, &bodies.velocity}) {
      for (const auto& values : *vectors)
        add(values);
    }
    add(bodies.mass);
    for (const auto& values : before.acceleration)
      if (goes_on) add(values);
    if (goes_on) add(before.potential);
    if (domains_) domains_->divide(columns);
    const bool chooses = parameters.error > 0 && !goes_on;
    if (chooses) {
      parameters_.theta = 0.5;
      parameters_.order = 2;
    }
    for (double& mass : columns[mass_column])
      mass *= parameters.gravity;
    take(columns);
    if (chooses) {
      (void)tree_->reach(parameters.error, parameters.order, spans_of<T>(sums_), sample());
      parameters_.theta = tree_->options().theta;
      parameters_.order = tree_->options().order;
    } else if (goes_on) {
      go_on_with(before.tree, columns);
    } else {
      evaluate();
    }
  }

  void advance(Index steps) override {
    for (Index step = 0; step < steps; ++step) {
      for (const double fraction : leapfrogs(parameters_.integrator)) {
        const T half_kick = static_cast<T>(fraction * parameters_.dt / 2);
        move({owed_kick_, half_kick}, static_cast<T>(fraction * parameters_.dt));
        evaluate();
        ++evaluations_;
        owed_kick_ = half_kick;
      }
      if (domains_ && ++steps_ % steps_of_domains == 0) divide();
    }
  }

  void read(Bodies& bodies, std::vector<double>& potential) override {
    if (owed_kick_ != 0) move({owed_kick_, 0}, 0);
    owed_kick_ = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      bodies.position[c] = of_all(body_[c]);
      bodies.velocity[c] = of_all(velocity_[c]);
    }
    potential = of_all(sums_[3]);
  }
  Accelerations accelerations() override {
    return {of_all(sums_[0]), of_all(sums_[1]), of_all(sums_[2])};
  }

  TreeState tree() override {
    TreeState state;
    state.limit = tree_->limit();
    if (domains_) {
      state.limit = static_cast<std::uint32_t>(ranks_.greatest(state.limit));
    } else if (age_ > 0) {
      state.age = age_;
      state.cost = cost_;
      state.at = found_at_;
    }
    return state;
  }

  double potential_lack() override {
    if (divided_ || tree_->octree().nodes() == 0) tree_->update(); // or gone on from a snapshot
    divided_ = false;
    constexpr Index most_pairs = Index{1} << 26; // about as long as some evaluations
    const Index most =
        queue_.device().is_gpu() ? sample() : std::max<Index>(most_pairs / count_, 32);
    return tree_->error(std::min(most, sample())).lack;
  }

  void add_error(Record& record) override {
    if (tree_->octree().nodes() == 0) return; // gone on from a snapshot, and no step taken
    if (divided_) tree_->update();
    divided_ = false;
    const auto error = tree_->error(sample());
    if (parameters_.error > 0) record.details.push_back({"error_asked", parameters_.error, {}});
    record.details.push_back({"error_rms", error.rms, {}});
    record.details.push_back({"error_p99", error.p99, {}});
    record.details.push_back({"error_worst", error.worst, {}});
    record.details.push_back({"error_sample", static_cast<double>(error.sample), {}});
    if (domains_) add_domains(record);
    add_phases(record);
  }
  [[nodiscard]] Parameters parameters() const override { return parameters_; }

  void wait() override { queue_.wait(); }
  [[nodiscard]] Record record() override {
    Record record = tree_->record("gravity");
    if (domains_) record.ranks = ranks_.ranks();
    if (domains_) record.size = Extents{count_};
    return record;
  }
  [[nodiscard]] ChosenSchedule schedule() const override {
    return {schedule_.name, text::print_held(schedule_.schedule)};
  }
  [[nodiscard]] Bytes held() const override {
    constexpr Index arrays = 4 + 3 + 4;
    return Bytes{arrays * body_[0].count() * static_cast<Index>(sizeof(T)) + tree_->held().value +
                 (body_exchange_ ? body_exchange_->held().value : 0) + queue_.held().value};
  }

private:
  /// Targets that errors are looked at of.
  [[nodiscard]] Index sample() const {
    constexpr Index most_pairs_of_gpus = Index{1} << 35;
    constexpr Index most_pairs = Index{1} << 30;
    const Index most = queue_.device().is_gpu() ? most_pairs_of_gpus : most_pairs;
    return std::clamp<Index>(most / count_, 16, 2000);
  }
  template <class Element, std::size_t N>
  static std::array<Span<Element>, N> spans_of(const std::array<Field<T>, N>& fields) {
    std::array<Span<Element>, N> spans;
    for (std::size_t c = 0; c < N; ++c)
      spans[c] = Span<Element>(fields[c].data(), fields[c].count());
    return spans;
  }

  void load(Field<T>& field, const std::vector<double>& values, const char* name) {
    field = Field<T>(queue_.device(), Extents{static_cast<Index>(values.size())}, name);
    load(field, values);
  }
  void load(Field<T>& field, const std::vector<double>& values) {
    std::vector<T> stored(values.size());
    std::transform(values.begin(), values.end(), stored.begin(),
                   [](double value) { return static_cast<T>(value); });
    copy_to_device(queue_, field.data(), stored.data(), field.count());
    queue_.wait();
  }
  [[nodiscard]] std::vector<double> unload(const Field<T>& field) {
    std::vector<T> stored(static_cast<std::size_t>(field.count()));
    copy_to_host(queue_, stored.data(), field.data(), field.count());
    queue_.wait();
    return {stored.begin(), stored.end()};
  }

  [[nodiscard]] std::vector<double> of_all(const Field<T>& field) {
    return domains_ ? domains_->gather(unload(field)) : unload(field);
  }

  /// The own bodies: positions, velocities, masses times G and, where they are known, accelerations
  /// and potentials; and a tree of them.
  void take(const Columns& columns) {
    for (std::size_t c = 0; c < 3; ++c) {
      load(body_[c], columns[c], "bodies");
      load(velocity_[c], columns[3 + c], "velocities");
    }
    load(body_[3], columns[mass_column], "bodies");
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      if (columns.size() > mass_column + 1) {
        load(sums_[c], columns[mass_column + 1 + c], "accelerations and potentials");
      } else {
        sums_[c] = Field<T>(queue_.device(), body_[0].extents(), "accelerations and potentials");
      }
    }
    make_tree();
  }

  void make_tree() {
    tree_.reset();
    tree_.emplace(queue_, spans_of<const T>(body_),
                  pairs::TreeOptions{parameters_.theta, parameters_.order, parameters_.softening,
                                     std::get<0>(schedule_.schedule)});
    if (domains_) {
      tree_->among(ranks_);
    } else if (ranks_.ranks() > 1) {
      exchange_.emplace(ranks_, queue_);
      tree_->share_out(ranks_.rank(), ranks_.ranks(), *exchange_);
    }
  }

  /// Bodies have moved: each goes to the rank in whose domain it is. Their box is known from the
  /// last evaluation.
  void divide() {
    queue_.wait();
    const auto begin = Clock::now();
    if (!body_exchange_) body_exchange_.emplace(queue_, ranks_, *domains_);
    std::array<T, 8> box{};
    constexpr auto values = static_cast<Index>(box.size());
    copy_to_host(queue_, box.data(),
                 tree_->octree().parts().partial.data + values * spatial::last_bound, values);
    const std::uint32_t limit = tree_->limit(); // waits
    typename BodyExchange<T>::Columns columns{};
    std::size_t next = 0;
    const auto add = [&](Field<T>& field) { columns[next++] = &field; };
    std::for_each(body_.begin(), body_.end(), add);
    std::for_each(velocity_.begin(), velocity_.end(), add);
    std::for_each(sums_.begin(), sums_.end(), add);
    const Index before = body_[0].count();
    body_exchange_->divide(columns, {box[0], box[1], box[2]}, {box[4], box[5], box[6]});
    if (body_[0].count() != before) make_tree();
    age_ = 0;
    divided_ = true;
    tree_->choose_units_anew();
    tree_->remember(spans_of<T>(sums_), limit);
    queue_.wait();
    seconds_dividing_ += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /// Phases of an evaluation, mean of the ranks. Together they are all that a step does. Bodies go
  /// there and back: what is nowhere after another step would end a run that is over.
  void add_phases(Record& record) {
    const auto add = [&](const std::string& name, double seconds) {
      record.details.push_back({"seconds_" + name, ranks_.sum(seconds) / ranks_.ranks(), {}});
    };
    auto step = static_cast<T>(parameters_.dt);
    const auto shift = [&] {
      move({0, 0}, step);
      step = -step;
    };
    for (const pairs::TreePhase& phase : tree_->phases(spans_of<T>(sums_), shift))
      add(phase.field(), phase.time.value);
    if (evaluations_ > 0 && domains_)
      add("divide", seconds_dividing_ / static_cast<double>(evaluations_));
  }

  /// What all ranks together have met, in place of what this one has.
  void add_domains(Record& record) {
    const pairs::TreePairs mine = tree_->pairs();
    const double cost = pairs::cost_of_body * mine.bodies +
                        pairs::slots_of_node(tree_->options().order) * mine.nodes;
    const auto n = static_cast<double>(count_);
    const double bodies = ranks_.sum(mine.bodies);
    const double nodes = ranks_.sum(mine.nodes);
    for (auto& detail : record.details) {
      if (detail.name == "p2p") detail.number = bodies / n;
      if (detail.name == "p2c") detail.number = nodes / n;
    }
    const auto received = tree_->received();
    record.details.push_back(
        {"imbalance_of_ranks", ranks_.greatest(cost) / ranks_.sum(cost) * ranks_.ranks(), {}});
    record.details.push_back({"bodies_of_rank", static_cast<double>(body_[0].count()), {}});
    record.details.push_back(
        {"bodies_received", ranks_.greatest(static_cast<double>(received.bodies)), {}});
    record.details.push_back(
        {"nodes_received", ranks_.greatest(static_cast<double>(received.nodes)), {}});
  }

  void evaluate() {
    divided_ = false;
    if (age_ == 0) {
      tree_->update();
    } else {
      tree_->follow();
    }
    tree_->sum(spans_of<T>(sums_));
    age_ = 0;
    found_at_ = {};
  }

  void go_on_with(const TreeState& state, const Columns& columns) {
    tree_->remember(spans_of<T>(sums_), state.limit);
    if (state.age == 0 || domains_) return;
    age_ = state.age;
    cost_ = state.cost;
    found_at_ = state.at;
    for (std::size_t c = 0; c < 3; ++c)
      load(body_[c], state.at[c]);
    tree_->update();
    for (std::size_t c = 0; c < 3; ++c)
      load(body_[c], columns[c]);
    tree_->follow();
  }

  void move(const std::array<T, 2>& kicks, T drift) {
    pairs::Motion<T> motion;
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
  pairs::MoveBodies<T>* move_bodies_ =
      offered<pairs::MoveBodies<T>>(queue_.device().kind(), typeid(pairs::Motion<T>));
  Parameters parameters_;
  comm::Communicator& ranks_;
  std::optional<Domains> domains_; ///< each rank has those of its own
  std::optional<BodyExchange<T>> body_exchange_;
  bool divided_ = false;                    ///< bodies have changed ranks since the last update
  std::optional<TreeExchange<P>> exchange_; ///< or all
  pairs::NamedTreeSchedule schedule_;
  std::array<Field<T>, 4> body_; ///< positions, and masses times G
  std::array<Field<T>, 3> velocity_;
  std::array<Field<T>, 4> sums_; ///< acceleration, potential
  // Snapshots of before 27 November 2026 may have nodes that followed the bodies, which drift in
  // energy (docs/design/trees.md): the first forces are summed over them.
  Index age_ = 0; ///< sums over these nodes; 0: they are found anew
  double cost_ = 0;
  Accelerations found_at_; ///< where the bodies were when nodes were found
  std::optional<pairs::Tree<P>> tree_;
  Index count_; ///< bodies of all ranks
  Index steps_ = 0;
  Index evaluations_ = 0;
  double seconds_dividing_ = 0;
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
