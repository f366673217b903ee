// What a walk over a tree did, as its record tells.
#pragma once

#include "../causes.hpp"

#include <algorithm>

namespace ridge::doctor {

struct TreeWork {
  double p2p = 0, p2c = 0, nodes = 0; ///< bodies and nodes that a body met; nodes that there are
  double bodies = 0, groups = 1, workers = 1, imbalance = 1;
  int tile = 1, leaf = 0, cut = 0;
  bool gpu = false;
  double all = 0, walk = 0, build = 0; ///< seconds; of a record of one that was timed

  [[nodiscard]] static std::optional<TreeWork> of(const Record& record);

  [[nodiscard]] double of_bodies() const { return 15 * p2p; }
  /// Issue slots a target. A group tests each node that it visits, 32 at once on a GPU.
  [[nodiscard]] double slots() const {
    const double leaves_met = p2p / std::max(1.0, bodies / nodes);
    const double visited = 8.0 / 7 * (p2c + leaves_met);
    return of_bodies() + 37 * p2c + visited * (gpu ? 110.0 / 32 : 40.0) / tile;
  }
  /// How many times as long as evenly spread groups the walk takes for its costliest one.
  [[nodiscard]] double waits() const {
    double most = imbalance;
    if (gpu && cut > 0) most = std::min(most, static_cast<double>(cut)); // the rest is in parts
    return std::max(1.0, most * std::min(workers, groups) / groups);
  }
  /// The time of this, which was timed, if it had done what `other` did.
  [[nodiscard]] double seconds(const TreeWork& other) const {
    const double bodies_too = bodies / 16; // which building goes through, however few nodes
    return all - walk - build + build * (other.nodes + bodies_too) / (nodes + bodies_too) +
           walk * other.slots() / slots() * other.waits() / waits();
  }
};

} // namespace ridge::doctor
