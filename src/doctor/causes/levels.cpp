// Cycles of multigrid: launches of small levels, and large levels that go pass by pass.
#include <ridge/doctor/levels.hpp>

#include "../causes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::doctor {

std::string_view LevelCost::dominated_by() const {
  constexpr double near_the_copy = 0.7;
  if (is_exact()) return "exact";
  if (is_small()) return "launches";
  if (is_staged()) return "passes";
  return fraction() >= near_the_copy ? "bytes" : "work";
}

std::vector<LevelCost> levels_of(const Record& record) {
  constexpr std::string_view prefix = "seconds_";
  const bool has_copy = record.achieved && record.achieved->roof_name == "copy";
  std::vector<LevelCost> levels;
  double all = 0;
  for (const Detail& d : record.details) {
    if (!d.name.starts_with(prefix)) continue;
    LevelCost level;
    level.points = d.name.substr(prefix.size());
    const auto moved = number_of(record, "moved_" + level.points);
    if (!moved) continue; // seconds of something else
    level.seconds = d.number;
    level.moved = *moved;
    level.least = number_of(record, "bytes_" + level.points).value_or(0);
    level.launches = number_of(record, "launches_" + level.points).value_or(0);
    level.copy = has_copy ? record.achieved->roof : 0;
    all += level.seconds;
    levels.push_back(std::move(level));
  }
  for (LevelCost& level : levels)
    level.share = all > 0 ? level.seconds / all : 0;
  return levels;
}

Best default_of(const Record& record) {
  const double gain = number_of(record, default_gain).value_or(1);
  return gain > 1.005 ? Best{"schedule v, the default", gain} : Best();
}

namespace {

/// Levels of a kind together.
struct Together {
  std::string first; ///< the points of the finest one
  int count = 0;
  double seconds = 0, least = 0, moved = 0, launches = 0;
  double spared = 0; ///< seconds that a cure takes off
};
/// Small levels without what starting launches takes, or large ones in one pass each way.
Together together(const std::vector<LevelCost>& levels, bool small) {
  Together sum;
  for (const LevelCost& level : levels) {
    if (level.is_small() != small) continue;
    if (sum.count++ == 0) sum.first = level.points;
    sum.seconds += level.seconds;
    sum.least += level.least;
    sum.moved += level.moved;
    sum.launches += level.launches;
    const double cured =
        small ? level.moved / level.copy
              : std::max(level.seconds * level.least / level.moved, level.least / level.copy);
    sum.spared += std::max(0.0, level.seconds - cured);
  }
  return sum;
}
double seconds_of(const std::vector<LevelCost>& levels) {
  double all = 0;
  for (const LevelCost& level : levels)
    all += level.seconds;
  return all;
}
bool is_known(const std::vector<LevelCost>& levels) {
  return !levels.empty() && levels.front().copy > 0 && seconds_of(levels) > 0;
}

std::optional<double> share_of_small(const Record& record) {
  const auto levels = levels_of(record);
  if (!is_known(levels)) return {};
  return together(levels, true).spared / seconds_of(levels);
}
Cure fewer_launches(const Record& sick, const std::vector<Record>& /*tried*/) {
  const auto levels = levels_of(sick);
  const double all = seconds_of(levels);
  const Together small = together(levels, true);
  return {all / (all - small.spared),
          fmt::format("levels of {} points and fewer take {:.0f} % of the cycle in {:.0f} launches "
                      "of {:.1f} us: take more points at once, or --method fft where it applies",
                      small.first, 100 * small.seconds / all, small.launches,
                      1e6 * small.seconds / small.launches)};
}

std::optional<double> passes_of_large(const Record& record) {
  const auto levels = levels_of(record);
  const Together large = together(levels, false);
  if (!is_known(levels) || large.least <= 0) return {};
  return large.moved / large.least;
}
Cure one_pass_each_way(const Record& sick, const std::vector<Record>& /*tried*/) {
  const auto levels = levels_of(sick);
  const double all = seconds_of(levels);
  const Together large = together(levels, false);
  const bool is_cpu = sick.device.kind == DeviceKind::cpu;
  const double gain = all / (all - large.spared);
  if (field_of(sick, "march_from") > 0)
    return {gain, "give march_from=0: levels have passes from as many points on as suit the device",
            sick.schedule.substr(0, sick.schedule.find("march_from=")) + "march_from=0"};
  return {gain, fmt::format("{} level{} from {} points on take {:.0f} % of the cycle in {:.0f} "
                            "passes, where {} would do: {}",
                            large.count, large.count == 1 ? "" : "s", large.first,
                            100 * large.seconds / all, large.launches, 2 * large.count,
                            is_cpu ? "on a cpu each sweep is one; --method fft where it applies"
                                   : "give periodic axes even extents")};
}

constexpr std::string_view source_of_levels =
    "docs/design/solvers.md: half a cycle in one pass over a GPU's memory";

} // namespace

Cause small_levels() {
  Cause c = recorded_cause();
  c.name = "small-levels";
  c.title = "launches of small levels take a large share of a cycle";
  c.unit = "of the cycle's time, beyond their bytes";
  c.threshold = 0.2;
  c.recorded = &share_of_small;
  c.cure = &fewer_launches;
  c.action = "take more points at once, or --method fft where it applies";
  c.background = "A cycle visits every level. The few points of a coarse one take next to no time "
                 "to move, but each sweep, residual, restriction and interpolation there is a "
                 "launch, or a start of threads, that the next one waits for. Their number grows "
                 "with the logarithm of the extents, so that a larger problem hides them. What is "
                 "predicted is a cycle whose small levels take the time of their bytes.";
  c.source = source_of_levels;
  return c;
}

Cause staged_levels() {
  Cause c = recorded_cause();
  c.name = "staged-levels";
  c.title = "large levels move their arrays once a sweep, not once each way";
  c.unit = "bytes moved for each that one pass down and one up move";
  c.threshold = 1.5;
  c.recorded = &passes_of_large;
  c.cure = &one_pass_each_way;
  c.action = "on GPUs give periodic axes even extents; --method fft where it applies";
  c.background =
      "Two sweeps, the residual and its restriction need each array of a level once, and so do "
      "interpolation and the two sweeps after it. GPUs have both halves as one pass over memory, "
      "for every level of several hundred thousand points but those with a periodic axis of an odd "
      "extent, where coarse points do not lie in steps. Elsewhere each part is a pass of its own "
      "and reads again what the one before wrote.";
  c.source = source_of_levels;
  return c;
}

} // namespace ridge::doctor
