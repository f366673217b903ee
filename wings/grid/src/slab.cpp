#include "slab.hpp"

#include <algorithm>
#include <cstdlib>

namespace ridge::solve::detail {

namespace {

Index floor_div(Index a, Index b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Values of an axis of `n` points between two places, which may lie beyond its ends.
std::vector<double> between(const std::vector<double>& values, Index begin, Index end) {
  const auto n = static_cast<Index>(values.size());
  std::vector<double> some;
  for (Index i = begin; i < end; ++i)
    some.push_back(values[static_cast<std::size_t>(i - n * floor_div(i, n))]);
  return some;
}

/// Whether one of the levels that ranks may share has an odd number of planes.
bool has_odd_level(Index planes) {
  for (Index n = planes; n >= 2 * least_halo; n /= 2)
    if (n % 2 == 1) return true;
  return false;
}

} // namespace

Slabs::Slabs(const std::vector<Index>& begins, bool is_periodic)
    : Slabs(begins, is_periodic,
            is_periodic && has_odd_level(begins.back()) ? least_halo + 1 : least_halo, 1,
            static_cast<int>(begins.size()) - 1) {}

Slabs::Slabs(const std::vector<Index>& begins, bool is_periodic, Index halo, int group, int ranks)
    : is_periodic_(is_periodic), halo_(halo), group_(group), ranks_(ranks) {
  const Index n = begins.back();
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    Slab s{begins[r], begins[r + 1], begins[r] - halo, begins[r + 1] + halo};
    if (!is_periodic) {
      s.held_begin = std::max<Index>(s.held_begin, 0);
      s.held_end = std::min(s.held_end, n);
    }
    all_.push_back(s);
  }
}

Index Slabs::fewest() const {
  return std::min_element(all_.begin(), all_.end(),
                          [](const Slab& a, const Slab& b) { return a.owned() < b.owned(); })
      ->owned();
}

int Slabs::neighbour(int slab, int side) const {
  const int there = side == 0 ? slab - 1 : slab + 1;
  if (there >= 0 && there < count()) return there;
  if (!is_periodic_) return -1;
  return there < 0 ? count() - 1 : 0;
}

Slabs Slabs::merged(int group) const {
  std::vector<Index> begins;
  for (int slab = 0; slab < count(); slab += group / group_)
    begins.push_back((*this)[slab].begin);
  begins.push_back(planes());
  return {begins, is_periodic_, halo_, group, ranks_};
}

Slabs Slabs::coarsened(const Coarsening& coarsening) const {
  std::vector<Index> begins{0};
  Index c = 0;
  const auto coarse = static_cast<Index>(coarsening.centre.size());
  for (const Slab& slab : all_) {
    while (c < coarse && coarsening.centre[static_cast<std::size_t>(c)] < slab.end)
      ++c;
    begins.push_back(c);
  }
  return {begins, is_periodic_, halo_, group_, ranks_};
}

Axis sliced(const Axis& axis, const Slab& slab) {
  Axis some;
  const Index n = axis.points();
  if (!axis.is_periodic) {
    if (slab.held_begin == 0) some.walls[0] = axis.walls[0];
    if (slab.held_end == n) some.walls[1] = axis.walls[1];
  }
  some.gaps = axis.gaps.empty() ? std::vector<double>{}
                                : between(axis.gaps, slab.held_begin, slab.held_end - 1);
  some.volume = between(axis.volume, slab.held_begin, slab.held_end);
  some.low = between(axis.low, slab.held_begin, slab.held_end);
  some.high = between(axis.high, slab.held_begin, slab.held_end);
  return some;
}

Coarsening sliced(const Axis& axis, const Coarsening& whole, const Slab& fine, const Slab& coarse) {
  const Index n = axis.points();
  const Index coarse_n = whole.axis.points();
  Coarsening some;
  some.axis = sliced(whole.axis, coarse);
  const auto centre = [&](Index c) { // of any coarse point, counted on beyond ends
    const Index round = floor_div(c, coarse_n);
    return whole.centre[static_cast<std::size_t>(c - round * coarse_n)] + round * n;
  };
  for (Index g = fine.held_begin; g < fine.held_end; ++g) {
    const Index round = axis.is_periodic ? floor_div(g, n) : 0;
    const auto at = static_cast<std::size_t>(g - round * n);
    const auto take = [&](int of, double weight, std::vector<int>& index,
                          std::vector<double>& weights) {
      Index c = of + round * coarse_n;
      if (axis.is_periodic) { // the one of its images that is nearest
        for (const Index other : {c - coarse_n, c + coarse_n})
          if (std::abs(centre(other) - g) < std::abs(centre(c) - g)) c = other;
      }
      const bool is_here = c >= coarse.held_begin && c < coarse.held_end;
      index.push_back(is_here ? static_cast<int>(c - coarse.held_begin) : 0);
      weights.push_back(is_here ? weight : 0);
    };
    take(whole.left[at], whole.left_weight[at], some.left, some.left_weight);
    take(whole.right[at], whole.right_weight[at], some.right, some.right_weight);
  }
  for (Index c = coarse.held_begin; c < coarse.held_end; ++c) {
    const auto at = static_cast<std::size_t>(c - coarse_n * floor_div(c, coarse_n));
    some.centre.push_back(static_cast<int>(centre(c) - fine.held_begin));
    some.reach.push_back(whole.reach[at]);
    for (std::size_t k = 0; k < 5; ++k)
      some.taken.push_back(whole.taken[5 * at + k]);
  }
  return some;
}

comm::Transfer Sharing::halos(const Slabs& slabs, const Planes& planes, Index around) const {
  const int rank = ranks.rank();
  const int here = slabs.of_rank(rank);
  const Slab& mine = slabs[here];
  const Index deep = slabs.halo() + around;
  const Index first = mine.below() + around; // plane that is owned, in the array
  comm::Phase all;
  const Bytes size{deep * planes.each.value};
  for (int side = 0; side < 2; ++side) {
    const int there = slabs.neighbour(here, side);
    if (there < 0) continue;
    // A tag a direction: two slabs of a periodic axis are neighbours on both sides.
    for (int peer = 0; peer < slabs.ranks(); ++peer) {
      if (slabs.of_rank(peer) == there && slabs.giver(peer, here) == rank)
        all.sends.push_back(
            {planes.at(side == 0 ? first : first + mine.owned() - deep), size, peer, side});
    }
    all.receives.push_back({planes.at(side == 0 ? first - deep : first + mine.owned()), size,
                            slabs.giver(rank, there), 1 - side});
  }
  return comm::Transfer(*this, std::move(all));
}

std::vector<int> Sharing::takers(const Slabs& slabs, const Slabs* joined) const {
  const int rank = ranks.rank();
  const int here = slabs.of_rank(rank);
  std::vector<int> all;
  for (int peer = 0; peer < slabs.ranks(); ++peer) {
    if (slabs.of_rank(peer) != here && slabs.giver(peer, here) == rank &&
        (joined == nullptr || joined->of_rank(peer) == joined->of_rank(rank)))
      all.push_back(peer);
  }
  return all;
}

comm::Transfer Sharing::all(const Slabs& slabs, const Slabs* joined, const Planes& planes) const {
  const int rank = ranks.rank();
  const Index origin = joined == nullptr ? 0 : (*joined)[joined->of_rank(rank)].held_begin;
  const auto of = [&](int slab, int peer) {
    const Slab& s = slabs[slab];
    return comm::Message{planes.at(s.begin - origin), Bytes{s.owned() * planes.each.value}, peer,
                         0};
  };
  comm::Phase all;
  for (const int peer : takers(slabs, joined))
    all.sends.push_back(of(slabs.of_rank(rank), peer));
  for (int slab = 0; slab < slabs.count(); ++slab) {
    const bool is_near =
        joined == nullptr || joined->of_rank(slab * slabs.group()) == joined->of_rank(rank);
    if (slab != slabs.of_rank(rank) && is_near)
      all.receives.push_back(of(slab, slabs.giver(rank, slab)));
  }
  return comm::Transfer(*this, std::move(all));
}

} // namespace ridge::solve::detail
