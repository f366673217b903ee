// The levels that ranks share, and the first that each of them has whole.
#pragma once

#include <ridge/grid/multigrid.hpp>

#include "level.hpp"
#include "slab.hpp"

#include <memory>
#include <vector>

namespace ridge::solve::detail {

/// Fine levels are slabs of planes. Where ranks would have few planes, neighbouring ones join to
/// groups: each has and computes the planes of its group. From the level on of which groups would
/// have few planes, too, or all points are few, every rank has all and computes all: that takes
/// less time than messages. `RIDGE_COARSE_LEVELS` of rank 0's environment may say `groups`, which
/// join wherever they have planes enough, or `all`, without groups.
/// Calls are collective.
template <class T>
class SharedLevels {
public:
  /// `finest`: slabs of the finest level. Throws UsageError where a rank has too few planes, and
  /// for another RIDGE_COARSE_LEVELS.
  SharedLevels(comm::Communicator& ranks, Queue& queue, Slabs finest);

  [[nodiscard]] comm::Communicator& ranks() const { return sharing_.ranks; }
  /// Whether messages go in the order of the queue, so that a graph can record them.
  [[nodiscard]] bool can_be_recorded() const { return comm::needs_no_host(sharing_.carrier); }
  [[nodiscard]] const Slabs& slabs(std::size_t level) const { return slabs_[level]; }
  [[nodiscard]] const Slab& mine(std::size_t level) const { return mine_of(slabs_[level]); }
  /// Whether level l is shared; all that follow the first one that is not are whole.
  [[nodiscard]] bool shares(std::size_t l) const { return l < shared_; }

  // Building: levels come one after the other.

  /// Takes a shared level's arrays.
  void add(const Level<T>& level);
  /// How the slab of the last level becomes the next one's, of so many points.
  [[nodiscard]] Coarsening coarsen(const Axis& z, const Coarsening& whole, Index points);
  /// Takes the first level of larger groups, or the first whole one.
  void meet(std::size_t l, const Level<T>& level);

  // Measuring.

  /// Whether calls send nothing.
  void set_silent(bool is_silent) { is_silent_ = is_silent; }
  /// All messages of a V cycle, in its order.
  void exchange_all();
  [[nodiscard]] CycleMessages messages() const;

  // A cycle: level l of those above.

  void exchange_u(std::size_t l) { send(messages_[l].u); }
  void exchange_b(std::size_t l) { send(messages_[l].b); }
  /// u and `other` of the finest level have changed places.
  void swap_finest(const Level<T>& level);
  /// Where the restriction to level l goes, and where interpolation from it reads.
  [[nodiscard]] Span<T> coarse_b(std::size_t l, const Level<T>& level) const {
    return is_joined(l) ? part_of(l, joins_[l]->b, level.b) : level.b.elements();
  }
  [[nodiscard]] Span<T> coarse_u(std::size_t l, const Level<T>& level) const {
    return is_joined(l) ? part_of(l, joins_[l]->u, level.u) : level.u.elements();
  }
  /// What is read of level l after the way down, two planes of neighbours on the way up, and of
  /// the right-hand side of the next one, before messages; and after the way up.
  [[nodiscard]] NeededPlanes needed_down(std::size_t l) const;
  [[nodiscard]] NeededPlanes needed_up(std::size_t l) const;
  /// After the restriction to level l.
  void arrive(std::size_t l, const Level<T>& level);
  /// Before interpolation from it.
  void leave(std::size_t l, const Level<T>& level);

  /// Where means of k for level l go.
  [[nodiscard]] const Field<T>& coarse_k(std::size_t l, const Level<T>& level);
  /// After they have been computed, or those of the finest have been set.
  void arrive_k(std::size_t l, const Level<T>& level);

private:
  struct Messages {
    comm::Transfer u, b, k;
  };
  /// From the level before, whose slabs become `parts`, to one of larger groups, or a whole one.
  struct Join {
    Slabs parts;
    Field<T> u, b; ///< of this rank's part, where it does not lie within the level
    Field<T> k;    ///< of this rank's part
    comm::Transfer all_b, all_k;
  };
  [[nodiscard]] const Slab& mine_of(const Slabs& slabs) const {
    return slabs[slabs.of_rank(sharing_.ranks.rank())];
  }
  [[nodiscard]] bool is_joined(std::size_t l) const { return l < joins_.size() && joins_[l]; }
  /// Null where every rank has all of level l.
  [[nodiscard]] const Slabs* joined(std::size_t l) const {
    return shares(l) ? &slabs_[l] : nullptr;
  }
  /// Whether the part of this rank, with its halo, lies within the arrays of joined level l: it
  /// does not where it goes on beyond an end of a whole periodic axis.
  [[nodiscard]] bool lies_within(std::size_t l) const {
    return shares(l) || !joins_[l]->parts.is_periodic();
  }
  [[nodiscard]] Span<T> part_of(std::size_t l, const Field<T>& part, const Field<T>& whole) const;
  /// The first plane of level l's arrays.
  [[nodiscard]] Index origin(std::size_t l) const { return shares(l) ? mine(l).held_begin : 0; }
  /// Who takes levels of which ranks alone have too few planes, or that are not worth sharing.
  enum class Coarse { as_worth, groups, all };
  [[nodiscard]] static Coarse asked_coarse(comm::Communicator& ranks);
  [[nodiscard]] bool joins_group(const Slabs& group, Index points) const;
  [[nodiscard]] bool is_worth_sharing(const Slabs& slabs, Index points, int exchanges) const;
  void share_next(Index points);
  [[nodiscard]] static Planes planes_of(const Field<T>& field);
  void send(comm::Transfer& transfer) {
    if (!is_silent_) transfer.run();
  }

  Sharing sharing_;
  bool is_silent_ = false;
  Index units_; ///< of a GPU; 0: a processor
  Coarse coarse_;
  std::vector<Slabs> slabs_;
  std::vector<std::unique_ptr<Join>> joins_; ///< a level each; most are null
  std::size_t shared_ = 0;
  std::vector<Messages> messages_;
  comm::Transfer other_u_; ///< of the finest level's u where it was `other`
  double sent_ = 0; ///< bytes of a V cycle
};

} // namespace ridge::solve::detail
