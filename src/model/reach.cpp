#include "reach.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ridge::model {

namespace {

Index floor_div(Index a, Index b) {
  return a >= 0 ? a / b : -ceil_div(-a, b);
}

/// The layers of `distances` around runs of `block` layers, each begun `stride` after the last.
Index layers_of_runs(Index runs, Index block, const std::vector<Index>& distances) {
  // Each distance reads one run of runs * block layers: their union, from sorted beginnings.
  const Index length = runs * block;
  Index layers = 0;
  Index end = distances.empty() ? 0 : distances.front();
  for (const Index d : distances) {
    layers += d + length - std::max(d, end);
    end = d + length;
  }
  return layers;
}

} // namespace

std::vector<Index> distances_along(const std::vector<Index3>& footprint, int axis) {
  std::set<Index> distinct;
  for (const Index3& p : footprint)
    distinct.insert(along(p, axis));
  return {distinct.begin(), distinct.end()};
}

Index layers_read(Index count, const std::vector<Index>& distances) {
  return count > 0 ? layers_of_runs(1, count, distances) : 0;
}

Index layers_between(Index gap, Index block, const std::vector<Index>& distances) {
  return layers_of_runs(gap, block, distances);
}

std::vector<Reuse> reuses_along(Index block, const std::vector<Index>& distances) {
  struct Use {
    Index first, last; ///< places in the order of loads
  };
  std::map<std::pair<Index, Index>, double> counted; // of gap and steps
  double all = 0;
  // Layers further inside a block than any distance reaches are used by that block alone.
  const Index reach = distances.empty() ? 0 : std::max(distances.back(), -distances.front());
  for (Index c = 0; c < block; ++c) {
    if (c >= reach && c + reach < block) continue;
    std::map<Index, Use> users; // of layer c, by block, the first in time first
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const auto place = static_cast<Index>(i);
      const Index user = floor_div(c - distances[i], block);
      const auto [at, fresh] = users.try_emplace(user, Use{place, place});
      if (!fresh) {
        at->second.first = std::min(at->second.first, place);
        at->second.last = std::max(at->second.last, place);
      }
    }
    for (auto later = users.begin(); later != users.end(); ++later) {
      if (later == users.begin()) continue;
      const auto earlier = std::prev(later);
      ++counted[{later->first - earlier->first, earlier->second.last - later->second.first}];
      ++all;
    }
  }
  std::vector<Reuse> reuses;
  for (const auto& [kind, count] : counted)
    reuses.push_back({kind.first, static_cast<double>(kind.second), count / all});
  return reuses;
}

double repeats_along(Index count, Index block, const std::vector<Index>& distances) {
  if (count <= 0) return 0;
  const Index whole = count / block;
  const Index read = whole * layers_read(block, distances) + layers_read(count % block, distances);
  const Index touched = layers_read(count, distances);
  return static_cast<double>(read - touched) / static_cast<double>(touched);
}

} // namespace ridge::model
