// Gravity of many bodies by a tree: sums over bodies that are near, and over nodes for those that
// are far.
//
//   pairs::Tree tree(queue, {x.elements(), y.elements(), z.elements(), m.elements()},
//                    {.theta = 0.5, .softening = 1e-3});
//   tree.update();              // as often as bodies have moved
//   tree.sum({ax.elements(), ay.elements(), az.elements(), potential.elements()});
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/pairs/essential.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/record/record.hpp>
#include <ridge/spatial/octree.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::pairs {

struct TreeOptions {
  /// How wide a node may look, its radius over its distance, where no accelerations are known. Sums
  /// take those before into account, and the first ones those of a walk for them alone: a node is
  /// far where its next moment is less than tree_alpha(theta, order) of the least acceleration in a
  /// group of targets. 0: no node ever is, all pairs are computed. At most 1.5.
  double theta = 0.5;
  int order = 2; ///< 1: masses at their centres, 2: quadrupoles, too, 3: octupoles, too; 4, 5
  double softening = 0;
  TreeSchedule schedule = {};
};

/// The part of an acceleration that the next moment of a node may be: the relative criterion then
/// has about the error that radius over distance below theta has, in less time.
[[nodiscard]] double tree_alpha(double theta, int order);

/// A theta and an order that reach an error.
struct TreeChoice {
  double theta = 0.5;
  int order = 2;
};

/// The rms error of accelerations that a table of measurements has for theta and order: Plummer's
/// sphere and a homogeneous one of 100000 bodies, fp64, softening 0.005, the worse of both.
[[nodiscard]] double tree_error_at(const TreeChoice& choice);
/// The cheapest choice that reaches an rms error by that table; `order` 0: any. Throws
/// UsageError for an error that no tree of the precision has: below 1e-6 in fp32 and mixed, 1e-10
/// in fp64, or above 0.1.
[[nodiscard]] TreeChoice tree_choice(double error, int order, std::string_view precision);

/// Throws UsageError unless theta is in [0, 1.5], order is 1 to 5 and softening is not negative.
void require_sound(const TreeOptions& options);

/// Pairs of sources and targets that a walk has computed.
struct TreePairs {
  double bodies = 0; ///< of two bodies
  double nodes = 0;  ///< of a body and a node
  /// The cost of the costliest group of targets over the mean of all groups: of one, no more than
  /// that many groups can share the work.
  double imbalance = 1;
  /// The same of the ranks that share the groups out: 1 where they all have as much.
  double imbalance_of_parts = 1;
};

/// Sums that several parts, such as ranks, have each made a share of.
template <class P>
struct TreeParts {
  std::vector<Index> begins; ///< the first group of each part, and their end
  /// Groups that each part has room for in messages, more than it has: shares move within it, as
  /// messages between GPUs take long to be bound.
  Index room = 0;
  Index group = 0; ///< targets of a group, that follow each other along the curve
  Index bodies = 0;
  /// On the device, part by part: four sums a place along the curve, unless walks write them where
  /// others have them; and two numbers a group.
  Span<typename P::Summed> sums;
  Span<std::uint32_t> met;

  /// The first place along the curve of a part, or the end of the last.
  [[nodiscard]] Index place(int part) const {
    return std::min(bodies, begins[static_cast<std::size_t>(part)] * group);
  }
};

/// Accelerations and potentials, in the bodies' own order.
template <class P>
using TreeSums = std::array<Span<typename P::Summed>, 4>;

/// Brings together the sums of all parts, and which groups met. Calls are collective.
template <class P>
class TreeMessages {
public:
  virtual ~TreeMessages() = default;
  /// True where walks write into the memory of other parts.
  [[nodiscard]] virtual bool reaches_others() const = 0;
  /// These, and the sums of all bodies here, are where they are until the next call.
  virtual void bind(const TreeParts<P>& parts, const TreeSums<P>& here) = 0;
  /// Where the other parts have theirs, if it reaches them.
  [[nodiscard]] virtual std::vector<TreeSums<P>> others() const = 0;
  /// In queue order: all have used their sums, which walks write to from now on.
  virtual void meet() = 0;
  /// In queue order: brings here what others have, and gives them what this part has.
  virtual void run() = 0;
};

/// How far accelerations of a sample of the targets are off the sums over all pairs in double
/// precision, relative to their lengths or, where these cancel, to 1e-3 potential^2 / mass of all.
struct TreeError {
  double rms = 0, p99 = 0, worst = 0;
  double potential = 0; ///< rms of the potentials
  double lack = 0;      ///< what potentials are short of on average, weighted by mass
  Index sample = 0;     ///< targets
};

/// One part of the work and the time that it took.
struct TreePhase {
  std::string name;
  Seconds time;

  /// Its name in records.
  [[nodiscard]] std::string field() const {
    std::string field = name;
    std::replace(field.begin(), field.end(), ' ', '_');
    return field;
  }
};

using NamedTreeSchedule = text::Named<std::variant<TreeSchedule>>;

[[nodiscard]] TreeSchedule default_tree_schedule(const Device& device, std::string_view precision);
/// `small-leaves` and `narrow`: half the bodies in a leaf, half the targets of a group.
[[nodiscard]] std::vector<NamedTreeSchedule> named_tree_schedules(const Device& device,
                                                                  std::string_view precision);
/// Reads `auto`, a name, or fields. Throws UsageError that lists what is right.
[[nodiscard]] NamedTreeSchedule parse_tree_schedule(std::string_view text, const Device& device,
                                                    std::string_view precision);
[[nodiscard]] std::vector<TreeSchedule> tree_schedule_space(const Device& device);

/// One set of bodies, and the tree over them.
template <class P>
class Tree {
public:
  using Stored = typename P::Stored;
  using Summed = typename P::Summed;

  /// x, y, z and masses times G of each body, in any order, on the device of `queue`; both must
  /// outlive the tree. Throws UsageError for options or bodies that are not right.
  Tree(Queue& queue, const std::array<Span<const Stored>, 4>& bodies, const TreeOptions& options);

  /// Builds the tree of where bodies are now. Throws UsageError that names the first body whose
  /// position is not finite, or in the first update whose mass is not finite or negative.
  void update();
  /// As `update`, but each body stays in the nodes that it was in. So nodes move with bodies that
  /// move a little, and forces have no jumps where bodies cross edges of cells. Nodes grow with
  /// time, and sums cost more: `update` now and then.
  void follow();
  /// Accelerations (3) and potentials, as pairs::Gravity has them, in the bodies' order and in
  /// queue order. `update` comes first. The next update takes these accelerations into account. The
  /// first sums are computed twice, so that they, too, know how large accelerations are.
  void sum(const std::array<Span<Summed>, 4>& sums);
  /// Takes these as the sums before, and `limit`: a run that goes on so has the same bits.
  void remember(const std::array<Span<Summed>, 4>& sums, std::uint32_t limit = no_limit);
  /// The cost that a target may have in the next sums, as `remember` takes it. Waits.
  [[nodiscard]] std::uint32_t limit();
  /// Forgets the sums before: the next ones are computed as the first are.
  void forget();
  /// Ranks that have a region each choose units and origin of their trees in the first update, and
  /// in the next one after this. Collective.
  void choose_units_anew() { octree_.forget_units(); }
  /// From now on sums are those of one of several parts, which all have the same bodies: groups are
  /// shared out by what they cost in the sums before. `messages` must outlive the sums. No bit of a
  /// sum depends on the parts.
  void share_out(int part, int parts, TreeMessages<P>& messages);
  /// From now on bodies are those of one of several ranks, best of a region of their own: updates
  /// bring the nodes and bodies here that these need of other ranks' trees. Sums then depend on who
  /// has which bodies, within the same error. Updates, sums, `error` and `reach` are collective
  /// from now on.
  void among(comm::Communicator& ranks);
  /// The nodes and bodies that the update before has brought from other ranks.
  [[nodiscard]] EssentialCounts received() const {
    return essential_ ? essential_->counts() : EssentialCounts{};
  }
  /// Updates and sums until accelerations are off by `error` rms at most on a sample of targets:
  /// begins with tree_choice, then makes theta smaller or larger until 0.85 to 0.95 of the error is
  /// used, where a theta up to 1.5 uses as much. `options` say what was chosen. Returns the
  /// sample's error under these sums. Throws Failure where even all pairs do not reach it. Waits.
  TreeError reach(double error, int order, const std::array<Span<Summed>, 4>& sums, Index sample);

  [[nodiscard]] const spatial::Octree<Stored, typename P::Computed>& octree() const {
    return octree_;
  }
  [[nodiscard]] const TreeOptions& options() const { return options_; }
  /// Pairs that the sums before have computed. Waits for them.
  [[nodiscard]] TreePairs pairs();
  /// The error of the sums before on about so many targets, spread along the curve; among ranks, of
  /// all of them. Waits.
  [[nodiscard]] TreeError error(Index sample);
  /// Updates and sums three times, and tells the middle time of each phase; among ranks, the mean
  /// of theirs. `before` is called first each time, and its work is a phase `move`. Waits.
  [[nodiscard]] std::vector<TreePhase> phases(const std::array<Span<Summed>, 4>& sums,
                                              const std::function<void()>& before = {});
  /// The work of update and sum together, untimed, as the sums before have done it. Items are pairs
  /// of bodies and of bodies and nodes.
  [[nodiscard]] Record record(std::string_view kernel);
  [[nodiscard]] Bytes held() const;

private:
  void prepare();
  void walk_all();
  [[nodiscard]] spatial::ChooseUnits choose_units();
  [[nodiscard]] double largest_mass();
  void set_limit(std::uint32_t limit);
  void choose(const TreeChoice& choice);
  void remember_accelerations(const std::array<Span<Summed>, 4>& sums);
  void take_sums(const std::array<Span<Summed>, 4>& sums);
  void walk_for_part();
  /// That keep shares of groups, and the order that groups are walked for in: costs change slowly.
  static constexpr int sums_of_shares = 8;
  [[nodiscard]] bool shares_are_due() const { return shares_age_ >= sums_of_shares; }
  void share_by_costs(Index groups);
  void turn_groups(Index first, Index end);
  struct Packed {
    Field<Summed> sums;
    Field<std::uint32_t> met;
  };
  void make_room();
  void move_met(int part, bool out);
  struct Sample;
  [[nodiscard]] Sample own_sample(Index count);
  void sum_sample(Sample& sample);

  Queue& queue_;
  TreeOptions options_;
  spatial::Octree<Stored, typename P::Computed> octree_;
  WalkTree<P>* step_;
  TreeWalk<P> walk_;
  /// Called before each part of updates and sums.
  std::function<void(const char* phase)> begins_ = [](const char* /*phase*/) {};
  bool knows_accelerations_ = false, keys_are_right_ = true;
  std::optional<double> greatest_mass_; ///< of all ranks' bodies, where there are several
  Index group_ = 0;                     ///< targets of one, in the sums before; 0: there are none
  Field<typename P::Computed> needs_;
  Field<Stored> gaps_; ///< in mixed precision
  Field<std::uint32_t> next_, met_, cut_, limit_;
  Field<double> costs_;
  spatial::Sorter sorter_;
  std::array<Field<std::uint64_t>, 2> turn_keys_;
  std::array<Field<std::uint32_t>, 2> turn_groups_;
  Index turns_begin_ = 0, turns_end_ = 0; ///< groups that have turns
  int turns_age_ = 0;                     ///< sums that took these turns
  Memory met_on_host_;                    ///< of several parts: a copy of met_
  bool met_is_here_ = false;              ///< the copy is done, as something has waited since
  int part_ = 0;
  TreeMessages<P>* messages_ = nullptr; ///< over several parts
  TreeParts<P> parts_;
  int shares_age_ = sums_of_shares;         ///< sums that took these shares
  Packed packed_;                           ///< of parts_
  std::array<Summed*, 4> bound_{};          ///< sums that messages are for
  Field<std::uint32_t> packed_of_;          ///< TreeWalk<P>
  std::unique_ptr<Essential<P>> essential_; ///< among ranks
};

Tree(Queue&, const std::array<Span<const float>, 4>&, const TreeOptions&)->Tree<Fp32>;
Tree(Queue&, const std::array<Span<const double>, 4>&, const TreeOptions&)->Tree<Fp64>;

} // namespace ridge::pairs
