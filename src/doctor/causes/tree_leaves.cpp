// Trees whose leaves hold too few bodies, or too many.
#include "tree_work.hpp"

#include <fmt/format.h>

namespace ridge::doctor {

namespace {

std::optional<double> share_of_bodies(const Record& record) {
  const auto work = TreeWork::of(record);
  if (!work) return {};
  return work->of_bodies() / work->slots();
}

/// The fastest of those tried that only have another leaf, larger or smaller.
template <bool larger>
Cure other_leaf(const Record& sick, const std::vector<Record>& tried) {
  const TreeWork now = *TreeWork::of(sick);
  Cure best;
  for (const Record& other : tried) {
    const auto then = TreeWork::of(other);
    const bool is_meant = then && then->tile == now.tile && then->leaf != now.leaf &&
                          (then->leaf > now.leaf) == larger;
    if (!is_meant) continue;
    const double gain = now.seconds(now) / now.seconds(*then);
    if (gain <= best.gain) continue;
    best = {gain,
            fmt::format("schedule {}: a body meets {:.0f} bodies and {:.0f} nodes of {:.0f}, now "
                        "{:.0f} and {:.0f} of {:.0f}",
                        other.schedule, then->p2p, then->p2c, then->nodes, now.p2p, now.p2c,
                        now.nodes),
            other.schedule};
  }
  return best;
}

constexpr std::string_view about_leaves =
    "A walk meets bodies of near leaves one by one, and far nodes whole. Small leaves leave few "
    "bodies and many nodes: these have to be built, tested and met, each for more instructions "
    "than a body. Large leaves are opened for bodies that a node could stand for. What a walk "
    "costs is counted: instructions of a pair of bodies and of a body and a node, and a node's "
    "test for each group. The doctor sums once under each other leaf and counts again; the "
    "times of building grow with the nodes.";
Cause of_leaves(bool larger) {
  Cause c = recorded_cause();
  c.tries = true;
  c.unit = "of the walk's instructions are pairs of bodies";
  c.recorded = &share_of_bodies;
  c.cure = larger ? &other_leaf<true> : &other_leaf<false>;
  c.background = about_leaves;
  c.source = "docs/trees.md; issue slots of a pair of bodies 15, of a node 37";
  return c;
}

} // namespace

Cause small_leaves() {
  Cause c = of_leaves(true);
  c.name = "small-leaves";
  c.title = "leaves hold so few bodies that nodes take most of the time";
  c.threshold = 0.25;
  c.above = false;
  c.action = "give a larger leaf, such as leaf=64";
  return c;
}

Cause large_leaves() {
  Cause c = of_leaves(false);
  c.name = "large-leaves";
  c.title = "leaves hold so many bodies that nodes spare little";
  c.threshold = 0.7;
  c.action = "give a smaller leaf, such as leaf=64";
  return c;
}

} // namespace ridge::doctor
