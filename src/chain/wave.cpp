#include <ridge/chain/cpu/wave.hpp>

#include <algorithm>

namespace ridge::chain {

namespace {

/// What a group needs of an earlier one, along one dimension: items before and behind its own.
struct Needed {
  Index low = 0, high = 0;
};

/// Values that it reads, and values that it replaces and the earlier group reads.
Needed needed(const Description& d, const GroupPlan& earlier, const GroupPlan& later, int along) {
  Needed all;
  const auto add = [&](const GroupPlan& reader, const GroupPlan& writer, bool replaced) {
    for (int k = reader.first; k <= reader.last; ++k) {
      for (const Access& a : d.operations[static_cast<std::size_t>(k)].accesses) {
        if (a.writes || !d.written_in(writer.first, writer.last, a.array)) continue;
        const Index low = -a.reach.low.along(along);
        const Index high = a.reach.high.along(along);
        all.low = std::max(all.low, replaced ? high : low);
        all.high = std::max(all.high, replaced ? low : high);
      }
    }
  };
  add(later, earlier, false);
  add(earlier, later, true);
  return all;
}

} // namespace

std::vector<WaveLag> wave_of(const Description& d, const Plan& plan, const Fuse& fuse) {
  if (d.rank != 3 || plan.groups.size() < 2 || plan.instances > 1 || plan.extents.y < 2 ||
      plan.extents.z < 2)
    return {};
  for (int i = 0; i < 3; ++i) {
    if (d.dimensions[static_cast<std::size_t>(i)].edge != Edge::given) return {};
  }
  for (const OperationInfo& op : d.operations) {
    if (!(op.domain == Domain{}) || op.scan != Scan::none) return {};
  }
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    if (plan.groups[g].runs.size() != 1) return {};
    if (g > 0 && !fuse.joins(plan.groups[g - 1].last)) return {};
  }
  std::vector<WaveLag> wave(plan.groups.size());
  for (std::size_t g = 1; g < wave.size(); ++g) {
    for (std::size_t before = 0; before < g; ++before) {
      const Needed y = needed(d, plan.groups[before], plan.groups[g], 1);
      const Needed z = needed(d, plan.groups[before], plan.groups[g], 2);
      WaveLag& lag = wave[g];
      lag.y = std::max(lag.y, wave[before].y + y.high);
      lag.z = std::max(lag.z, wave[before].z + z.high);
      lag.low = std::max(lag.low, wave[before].low + z.low);
      lag.high = std::max(lag.high, wave[before].high + z.high);
    }
  }
  return wave;
}

Index wave_rows(const Description& d, const std::vector<WaveLag>& wave, Index asked) {
  Index most = 0;
  for (const WaveLag& lag : wave)
    most = std::max(most, lag.y);
  return std::max(asked, most + d.dimensions[1].beyond + 2);
}

} // namespace ridge::chain
