// The lab's sums by a tree.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/pairs_kernel.hpp>
#include <ridge/pairs/tree.hpp>

#include "text_menu.hpp"
#include "tree_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

namespace ridge::lab {

namespace {

using pairs::FarOf, pairs::Fp32, pairs::Fp64, pairs::Gravity, pairs::Mixed, pairs::with_order;
using pairs::parse_tree_schedule, pairs::traits_of, pairs::tree_choice, pairs::tree_error_at;
using pairs::Tree, pairs::TreeError, pairs::TreeOptions, pairs::TreePairs, pairs::TreePhase;
using pairs::TreeSchedule, pairs::TreeWalk, pairs::named_tree_schedules, pairs::tree_schedule_space;

/// Bodies of one mass: in a Plummer sphere of radius 1 out to 99.9 % of its mass, or in a cube.
enum class Spread { plummer, cube };

std::array<double, 3> place_of(Spread spread, Index i) {
  const auto u = [&](std::uint64_t seed) { return (random_value(seed, i) + 1) / 2 + 0x1p-25; };
  if (spread == Spread::cube) return {u(1), u(2), u(3)};
  const double radius = 1 / std::sqrt(std::pow(0.999 * u(1), -2.0 / 3.0) - 1);
  const double height = 2 * u(2) - 1;
  const double across = std::sqrt(1 - height * height);
  const double angle = 2 * std::numbers::pi * u(3);
  return {radius * across * std::cos(angle), radius * across * std::sin(angle), radius * height};
}

template <class P>
class TreeCase final : public Case {
  using Stored = typename P::Stored;
  using Summed = typename P::Summed;

public:
  TreeCase(std::string name, Spread spread, const BenchRequest& request, RoofSource& roof)
      : name_(std::move(name)), queue_(request.device), roof_(roof), asked_(request.error) {
    if (request.theta && asked_) throw UsageError("--theta and --error: give one of them");
    if (asked_) (void)tree_choice(*asked_, request.order.value_or(0), P::name);
    order_ = request.order.value_or(0);
    options_.order = request.order.value_or(options_.order);
    options_.theta = request.theta.value_or(options_.theta);
    require_sound(options_);
    const Index n = request.size.count();
    std::array<std::vector<Stored>, 4> values;
    for (auto& component : values)
      component.resize(static_cast<std::size_t>(n),
                       static_cast<Stored>(1 / static_cast<double>(n)));
    for (Index i = 0; i < n; ++i) {
      const auto place = place_of(spread, i);
      for (std::size_t c = 0; c < 3; ++c)
        values[c][static_cast<std::size_t>(i)] = static_cast<Stored>(place[c]);
    }
    for (std::size_t c = 0; c < 4; ++c) {
      bodies_[c] = Field<Stored>(request.device, Extents{n}, "bodies");
      copy_to_device(queue_, bodies_[c].data(), values[c].data(), n);
      sums_[c] = Field<Summed>(request.device, Extents{n}, "sums");
    }
    queue_.wait();
    options_.softening = 0.2 / std::cbrt(static_cast<double>(n));
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    return {&typeid(TreeWalk<P>), name_, P::name, bodies_[0].extents()};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    using Schedule = std::variant<TreeSchedule>;
    const Device device = place.device;
    return std::make_unique<TextMenu<Schedule>>(
        place,
        TextMenu<Schedule>::Source{
            [device](const std::string& t) { return parse_tree_schedule(t, device, P::name); },
            [device] { return named_tree_schedules(device, P::name); },
            [device] {
              const auto all = tree_schedule_space(device);
              return std::vector<Schedule>(all.begin(), all.end());
            },
            "sums by a tree"});
  }
  /// A launch builds the tree and walks it. It has accelerations from one before.
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    options_.schedule = std::get<0>(parse_tree_schedule(s.text, queue_.device(), P::name).schedule);
    tree_ = std::make_shared<Tree<P>>(queue_, bodies(), options_);
    if (asked_) {
      (void)tree_->reach(*asked_, order_, sums(), sample());
    } else {
      tree_->update();
      tree_->sum(sums());
    }
    const auto run = [tree = tree_, to = sums()] {
      tree->update();
      tree->sum(to);
    };
    return {queue_, Bound(run), [tree = tree_, name = name_] { return tree->record(name); }};
  }
  void poison() override {
    for (const auto& sum : sums())
      fill_bytes(queue_, sum.data, 0xff, Bytes{sum.size * static_cast<Index>(sizeof(Summed))});
  }
  /// Of a sample of the targets against all pairs. `max_error` is the rms.
  [[nodiscard]] Check check() override {
    error_ = tree_->error(sample());
    const double usual = tree_error_at({options_.theta, options_.order});
    const double tolerance = asked_.value_or(std::max(1e-5, 3 * usual));
    Check check;
    check.max_error = error_.rms;
    check.against = "all pairs";
    check.ok = error_.rms <= tolerance;
    if (!check.ok) {
      check.message = fmt::format("accelerations of {} bodies are off those of all pairs by {:.1e} "
                                  "rms; {:.1e} is right",
                                  error_.sample, error_.rms, tolerance);
    }
    return check;
  }
  /// Where every pair of a body and a body, and of a body and a node, took an interaction's
  /// operations and nothing else took any.
  [[nodiscard]] Limit limit() const override {
    const TreePairs met = tree_ ? tree_->pairs() : TreePairs{};
    const auto all = static_cast<double>(static_cast<Index>(met.bodies + met.nodes));
    const double near = rate_of(traits_of<Gravity<>, P>());
    const double far = with_order(
        options_.order, [&](auto order) { return rate_of(traits_of<FarOf<order()>, P>()); });
    const double seconds = near > 0 && far > 0 ? met.bodies / near + met.nodes / far : 0;
    return {"issue", "interactions/s", all, seconds > 0 ? all / seconds : 0};
  }
  /// How many pairs a launch computes is known after it.
  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    const Limit found = limit();
    if (record.achieved && record.timing) {
      record.achieved->rate = found.amount / record.timing->median.value;
      record.achieved->roof = found.value.value_or(0);
    }
    if (asked_) record.details.push_back({"error_asked", *asked_, {}});
    record.details.push_back({"error_rms", error_.rms, {}});
    record.details.push_back({"error_p99", error_.p99, {}});
    record.details.push_back({"error_worst", error_.worst, {}});
    record.details.push_back({"error_sample", static_cast<double>(error_.sample), {}});
    for (const TreePhase& phase : tree_->phases(sums())) {
      record.details.push_back({"seconds_" + phase.field(), phase.time.value, {}});
      if (phase.name == "walk" && found.value.value_or(0) > 0 && phase.time.value > 0) {
        const double least = found.amount / *found.value;
        record.details.push_back({"walk_fraction", least / phase.time.value, {}});
      }
    }
  }

private:
  /// Targets that errors are looked at of.
  [[nodiscard]] Index sample() const {
    constexpr Index pairs_of_gpus = Index{1} << 35;
    constexpr Index pairs = Index{1} << 29;
    const Index most = queue_.device().is_gpu() ? pairs_of_gpus : pairs;
    return std::clamp<Index>(most / bodies_[0].count(), 16, 2000);
  }
  [[nodiscard]] std::array<Span<const Stored>, 4> bodies() const {
    return {bodies_[0].elements(), bodies_[1].elements(), bodies_[2].elements(),
            bodies_[3].elements()};
  }
  [[nodiscard]] std::array<Span<Summed>, 4> sums() const {
    return {sums_[0].elements(), sums_[1].elements(), sums_[2].elements(), sums_[3].elements()};
  }
  [[nodiscard]] double rate_of(const auto& traits) const {
    return pairs_limit(queue_.device(), traits, {1, 1, false}, roof_).value.value_or(0);
  }

  std::string name_;
  Queue queue_;
  RoofSource& roof_;
  std::optional<double> asked_; ///< error
  int order_ = 0;               ///< that goes with it; 0: any
  std::array<Field<Stored>, 4> bodies_;
  std::array<Field<Summed>, 4> sums_;
  TreeOptions options_;
  std::shared_ptr<Tree<P>> tree_;
  TreeError error_;
};

BenchKernel kernel_of(const std::string& name, const std::string& meaning, Spread spread) {
  BenchKernel kernel{name, "tree", meaning, Extents{65536}, {}};
  kernel.default_precision = "fp32";
  kernel.make_case = [=](const BenchRequest& request, RoofSource& roof) -> std::unique_ptr<Case> {
    (void)bodies_asked(request.size, request.precision, name, true);
    if (request.precision == "fp32")
      return std::make_unique<TreeCase<Fp32>>(name, spread, request, roof);
    if (request.precision == "mixed")
      return std::make_unique<TreeCase<Mixed>>(name, spread, request, roof);
    return std::make_unique<TreeCase<Fp64>>(name, spread, request, roof);
  };
  return kernel;
}

} // namespace

void add_trees(std::vector<BenchKernel>& kernels) {
  kernels.push_back(kernel_of("gravity-tree",
                              "gravity of a Plummer sphere by an octree, theta 0.5, all rebuilt",
                              Spread::plummer));
  kernels.push_back(
      kernel_of("gravity-tree-cube", "the same of bodies spread evenly in a cube", Spread::cube));
}

} // namespace ridge::lab
