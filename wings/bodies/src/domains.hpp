// Bodies that ranks keep by where they are: each has a run of them along Hilbert's curve.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/core/extents.hpp>

#include <array>
#include <cstdint>
#include <functional>
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

  // For who divides bodies elsewhere:
  /// Places along the curve are of a key and, where several bodies have one, of their number.
  using Place = std::pair<std::uint64_t, std::uint32_t>;
  /// That all bodies are in.
  struct Cube {
    std::array<double, 3> low{};
    double side = 0;
  };
  /// The cube around the boxes of all ranks' bodies, by the corners of this rank's.
  [[nodiscard]] Cube cube(const std::array<double, 3>& low,
                          const std::array<double, 3>& high) const;
  /// The last place of each domain but the last one. `count` tells how many bodies of this rank are
  /// there up to a place; of all bodies with a key that has the largest number.
  [[nodiscard]] std::vector<Place> ends(const std::function<Index(const Place&)>& count) const;
  void set(std::vector<std::uint32_t> bodies) { bodies_ = std::move(bodies); }

private:
  [[nodiscard]] std::vector<Place> places(const Columns& columns) const;
  /// Messages of some values to each rank, and what comes of it, rank after rank.
  [[nodiscard]] std::vector<double> exchange(std::vector<std::vector<double>>& to) const;

  comm::Communicator& ranks_;
  Index all_;
  std::vector<std::uint32_t> bodies_;
};

} // namespace ridge::nbody
