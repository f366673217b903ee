// The share of the bodies that one of several ranks computes the forces on.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/device/queue.hpp>

#include <memory>
#include <vector>

namespace ridge::nbody {

/// Each rank keeps all bodies, its own share first and the others' after it, in the order of ranks
/// and round to the first: so its targets are the first of its sources.
class Share {
public:
  /// Throws UsageError where there are more ranks than bodies.
  Share(comm::Communicator& ranks, Index bodies);

  [[nodiscard]] Index count() const { return count_of(ranks_.rank()); }
  /// Which body this rank keeps at a place.
  [[nodiscard]] std::size_t body(Index place) const {
    return static_cast<std::size_t>((begin_of(ranks_.rank()) + place) % bodies_);
  }
  /// Gives this rank's share of arrays to the others and takes theirs, in the order of the queue.
  /// Empty where there is one rank. Collective.
  [[nodiscard]] std::unique_ptr<comm::Transfer> bind(Queue& queue, const std::vector<void*>& arrays,
                                                     Index element_bytes) const;

private:
  [[nodiscard]] Index begin_of(int rank) const { return bodies_ * rank / ranks_.ranks(); }
  [[nodiscard]] Index count_of(int rank) const { return begin_of(rank + 1) - begin_of(rank); }
  comm::Communicator& ranks_;
  Index bodies_;
};

} // namespace ridge::nbody
