// Walks over a tree that wait for one group of targets; and what a record tells of a walk.
#include "tree_work.hpp"

#include <fmt/format.h>

namespace ridge::doctor {

std::optional<TreeWork> TreeWork::of(const Record& record) {
  const auto p2p = number_of(record, "p2p");
  const auto p2c = number_of(record, "p2c");
  const auto nodes = number_of(record, "nodes");
  if (!p2p || !p2c || !nodes || *nodes <= 0) return {};
  TreeWork work;
  work.p2p = *p2p;
  work.p2c = *p2c;
  work.nodes = *nodes;
  work.bodies = static_cast<double>(record.size.count());
  work.groups = number_of(record, "groups").value_or(1);
  work.workers = number_of(record, "workers").value_or(1);
  work.imbalance = number_of(record, "imbalance").value_or(1);
  work.tile = std::max(1, field_of(record, "tile"));
  work.leaf = field_of(record, "leaf");
  work.cut = field_of(record, "cut");
  work.gpu = record.device.kind != DeviceKind::cpu;
  if (record.timing) work.all = record.timing->median.value;
  // Phases are of one run of their own, the time is of many.
  double phases = 0;
  for (const Detail& d : record.details)
    phases += d.name.starts_with("seconds_") ? d.number : 0;
  if (phases > 0) {
    const double scale = work.all / phases;
    work.walk = scale * number_of(record, "seconds_walk").value_or(0);
    work.build = scale * (number_of(record, "seconds_nodes").value_or(0) +
                          number_of(record, "seconds_moments").value_or(0));
  }
  return work;
}

namespace {

Cure spread(const Record& sick, const std::vector<Record>& tried) {
  const TreeWork now = *TreeWork::of(sick);
  TreeWork even = now;
  even.imbalance = 1;
  even.groups = std::max(now.groups, now.workers);
  Cure best{now.all / now.seconds(even), "smaller groups: tile=1; on GPUs cut=2"};
  double least = 1.03;
  for (const Record& other : tried) {
    const auto then = TreeWork::of(other);
    if (!then || then->leaf != now.leaf) continue;
    const double gain = now.all / now.seconds(*then);
    if (gain <= least) continue;
    least = gain;
    best = {
        gain,
        fmt::format("schedule {}: the walk waits {:.2f} times its mean for one group, now {:.2f}",
                    other.schedule, then->waits(), now.waits()),
        other.schedule};
  }
  return best;
}

} // namespace

Cause uneven_groups() {
  Cause c = recorded_cause();
  c.tries = true;
  c.name = "uneven-groups";
  c.title = "the walk waits for one group of targets";
  c.unit = "times as long as evenly spread groups take";
  c.threshold = 1.25;
  c.recorded = [](const Record& record) -> std::optional<double> {
    const auto work = TreeWork::of(record);
    if (!work) return {};
    return work->waits();
  };
  c.cure = &spread;
  c.action = "take smaller groups: tile=1; on GPUs cut=2";
  c.background =
      "Threads, or warps, take groups of targets one after the other. A group in a thin halo may "
      "span the dense core and meet all that is there: where it costs more than its worker's share "
      "of all, the others wait. GPUs cut a group that has cost `cut` times the mean and walk for "
      "its parts with eight lanes a target; smaller groups span less.";
  c.source = "docs/trees.md: imbalance";
  return c;
}

} // namespace ridge::doctor
