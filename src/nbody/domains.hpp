// Bodies that ranks keep by where they are: each has a run of them along Hilbert's curve.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/core/extents.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace ridge::nbody {

/// Values of a rank's bodies, on the host: arrays of as many each, of which the first three are
/// positions.
using Columns = std::vector<std::vector<double>>;

/// Calls are collective.
class Domains {
public:
  /// Begins with equal shares of the bodies in their own order. Throws UsageError where there are
  /// more ranks than bodies.
  Domains(comm::Communicator& ranks, Index bodies);

  /// Which bodies this rank has, in the order of its columns.
  [[nodiscard]] const std::vector<std::uint32_t>& bodies() const { return bodies_; }
  /// This rank's of the values of all bodies.
  [[nodiscard]] std::vector<double> take(const std::vector<double>& all) const;
  /// Gives each body to the rank whose domain it is in now: as many bodies for each rank as
  /// possible, at least one. No bit of a value changes.
  void divide(Columns& columns);
  /// Values of all ranks' bodies, in the bodies' own order.
  [[nodiscard]] std::vector<double> gather(const std::vector<double>& mine) const;

private:
  /// Places along the curve are of a key and, where several bodies have one, of their number.
  using Place = std::pair<std::uint64_t, std::uint32_t>;
  [[nodiscard]] std::vector<Place> places(const Columns& columns) const;
  [[nodiscard]] std::vector<Place> ends(std::vector<Place> mine) const;
  /// Messages of some values to each rank, and what comes of it, rank after rank.
  [[nodiscard]] std::vector<double> exchange(std::vector<std::vector<double>>& to) const;

  comm::Communicator& ranks_;
  Index all_;
  std::vector<std::uint32_t> bodies_;
};

} // namespace ridge::nbody
