// Cases of gravity by a tree, all of which a launch makes: the tree is built and walked.
#pragma once

#include <ridge/pairs/case.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/tree.hpp>

#include <algorithm>
#include <optional>

namespace ridge::pairs {

/// Accelerations and potentials of bodies by a tree: x, y, z and masses.
template <class P>
struct TreeCall {
  std::array<Span<const typename P::Stored>, 4> bodies;
  std::array<Span<typename P::Summed>, 4> sums;
  TreeOptions options;
  std::optional<double> asked = {}; ///< error
  int order = 0;                    ///< that goes with it; 0: any
};

[[nodiscard]] std::unique_ptr<Menu> tree_menu(const ridge::Place& place,
                                              const std::string& precision);
template <class P>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const TreeCall<P>& /*call*/,
                                            const ridge::Place& place) {
  return tree_menu(place, P::name);
}
template <class P>
[[nodiscard]] Subject subject_of(const TreeCall<P>& call, std::string kernel) {
  return {&typeid(TreeWalk<P>), std::move(kernel), P::name, Extents{call.bodies[0].size}};
}

/// The verdict on a sample of the targets against all pairs; `max_error` is the rms.
[[nodiscard]] Check judge_tree(const TreeError& error, double tolerance);
/// Adds what errors the sums of a tree have.
void add_tree_errors(Record& record, const TreeError& error, std::optional<double> asked);

} // namespace ridge::pairs

template <class P>
class ridge::Reference<ridge::pairs::TreeCall<P>> {
  using Call = pairs::TreeCall<P>;

public:
  Reference(RoofSource& roofs) : roofs_(roofs) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return pairs::outputs_of(call.sums);
  }
  /// A launch builds the tree and walks it. It has accelerations from one before.
  [[nodiscard]] Program bind(Queue& queue, const Call& call, const AskedSchedule& s,
                             const std::string& name) {
    pairs::TreeOptions options = call.options;
    options.schedule =
        std::get<0>(pairs::parse_tree_schedule(s.text, queue.device(), P::name).schedule);
    tree_ = std::make_shared<pairs::Tree<P>>(queue, call.bodies, options);
    if (call.asked) {
      (void)tree_->reach(*call.asked, call.order, call.sums, sample(queue, call));
    } else {
      tree_->update();
      tree_->sum(call.sums);
    }
    const auto run = [tree = tree_, to = call.sums] {
      tree->update();
      tree->sum(to);
    };
    return {queue, Bound(run), [tree = tree_, name] { return tree->record(name); }};
  }
  [[nodiscard]] Check check(Queue& queue, const Call& call) {
    error_ = tree_->error(sample(queue, call));
    const double usual = pairs::tree_error_at({call.options.theta, call.options.order});
    return pairs::judge_tree(error_, call.asked.value_or(std::max(1e-5, 3 * usual)));
  }
  /// Where every pair of a body and a body, and of a body and a node, took an interaction's
  /// operations and nothing else took any.
  [[nodiscard]] Limit limit(Queue& queue, const Call& call) const {
    const pairs::TreePairs met = tree_ ? tree_->pairs() : pairs::TreePairs{};
    const auto all = static_cast<double>(static_cast<Index>(met.bodies + met.nodes));
    const auto rate_of = [&](const pairs::Traits& traits) {
      return pairs::limit_of(queue.device(), traits, {1, 1, false}, roofs_).value.value_or(0);
    };
    const double near = rate_of(pairs::traits_of<pairs::Gravity<>, P>());
    const double far = pairs::with_order(call.options.order, [&](auto order) {
      return rate_of(pairs::traits_of<pairs::FarOf<order()>, P>());
    });
    const double seconds = near > 0 && far > 0 ? met.bodies / near + met.nodes / far : 0;
    return {"issue", "interactions/s", all, seconds > 0 ? all / seconds : 0};
  }
  /// How many pairs a launch computes is known after it.
  void complete(Queue& queue, const Call& call, Record& record, const AskedSchedule& /*s*/) {
    const Limit found = limit(queue, call);
    if (record.achieved && record.timing) {
      record.achieved->rate = found.amount / record.timing->median.value;
      record.achieved->roof = found.value.value_or(0);
    }
    pairs::add_tree_errors(record, error_, call.asked);
    for (const pairs::TreePhase& phase : tree_->phases(call.sums)) {
      record.details.push_back({"seconds_" + phase.field(), phase.time.value, {}});
      if (phase.name == "walk" && found.value.value_or(0) > 0 && phase.time.value > 0) {
        const double least = found.amount / *found.value;
        record.details.push_back({"walk_fraction", least / phase.time.value, {}});
      }
    }
  }

private:
  /// Targets that errors are looked at of.
  [[nodiscard]] static Index sample(Queue& queue, const Call& call) {
    constexpr Index pairs_of_gpus = Index{1} << 35;
    constexpr Index pairs = Index{1} << 29;
    const Index most = queue.device().is_gpu() ? pairs_of_gpus : pairs;
    return std::clamp<Index>(most / call.bodies[0].size, 16, 2000);
  }

  RoofSource& roofs_;
  std::shared_ptr<pairs::Tree<P>> tree_; ///< of the launch bound last
  pairs::TreeError error_;
};
