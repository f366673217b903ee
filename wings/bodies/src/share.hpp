// The share of the bodies that one of several ranks keeps and moves.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/core/extents.hpp>

#include <vector>

namespace ridge::nbody {

/// Bodies in their order, about as many for each rank.
class Share {
public:
  /// Throws UsageError where there are more ranks than bodies.
  Share(comm::Communicator& ranks, Index bodies);

  [[nodiscard]] comm::Communicator& ranks() const { return ranks_; }
  /// Of all ranks.
  [[nodiscard]] Index bodies() const { return bodies_; }
  [[nodiscard]] Index begin() const { return begin_of(ranks_.rank()); }
  [[nodiscard]] Index count() const { return count_of(ranks_.rank()); }
  [[nodiscard]] Index count_of(int rank) const { return begin_of(rank + 1) - begin_of(rank); }
  /// Of the rank that has most.
  [[nodiscard]] Index most() const { return ceil_div(bodies_, Index{ranks_.ranks()}); }

  /// Gives this rank's share of arrays of all bodies, on the host, to the others, and takes theirs.
  /// Collective.
  void gather(const std::vector<std::vector<double>*>& arrays) const;

private:
  [[nodiscard]] Index begin_of(int rank) const { return bodies_ * rank / ranks_.ranks(); }
  comm::Communicator& ranks_;
  Index bodies_;
};

} // namespace ridge::nbody
