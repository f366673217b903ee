// Levels over ranks: each has neighbouring planes along z, and a few of its neighbours'.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/core/units.hpp>

#include "axis.hpp"

#include <algorithm>
#include <vector>

namespace ridge::solve::detail {

/// Planes of neighbours that a rank keeps: half a cycle reaches so far, two sweeps, the residual
/// and its restriction, and so does a second difference of order 8. Over the ends of a periodic
/// axis of odd extent restriction reaches one plane further.
constexpr Index least_halo = 4;

/// Planes of the points that are solved for. Beyond the ends of a periodic axis they are counted
/// on.
struct Slab {
  Index begin = 0, end = 0;           ///< that the rank owns
  Index held_begin = 0, held_end = 0; ///< and has
  [[nodiscard]] Index owned() const { return end - begin; }
  [[nodiscard]] Index held() const { return held_end - held_begin; }
  [[nodiscard]] Index below() const { return begin - held_begin; }
  [[nodiscard]] Index above() const { return held_end - end; }
};

/// The slabs of a level, a rank each, or a group of neighbouring ranks, each of which has and
/// computes all of its group's slab.
class Slabs {
public:
  Slabs() = default;
  /// Rank r owns the planes from `begins[r]` to `begins[r + 1]` of the finest level.
  Slabs(const std::vector<Index>& begins, bool is_periodic);

  [[nodiscard]] const Slab& operator[](int slab) const {
    return all_[static_cast<std::size_t>(slab)];
  }
  [[nodiscard]] int count() const { return static_cast<int>(all_.size()); }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// Ranks a slab; the last one may have fewer.
  [[nodiscard]] int group() const { return group_; }
  [[nodiscard]] int of_rank(int rank) const { return rank / group_; }
  /// The rank that `rank` has planes of a slab from.
  [[nodiscard]] int giver(int rank, int slab) const {
    return slab * group_ + rank % group_ % std::min(group_, ranks_ - slab * group_);
  }
  [[nodiscard]] Index planes() const { return all_.back().end; }
  [[nodiscard]] bool is_periodic() const { return is_periodic_; }
  [[nodiscard]] Index halo() const { return halo_; }
  /// That some rank owns.
  [[nodiscard]] Index fewest() const;
  /// The slab on that side along z, 0 below, 1 above; -1 where the axis ends.
  [[nodiscard]] int neighbour(int slab, int side) const;
  /// Of groups of so many ranks, a multiple of those of a slab here.
  [[nodiscard]] Slabs merged(int group) const;
  /// Of the next level: a rank owns the planes whose fine ones it owns.
  [[nodiscard]] Slabs coarsened(const Coarsening& coarsening) const;

private:
  Slabs(const std::vector<Index>& begins, bool is_periodic, Index halo, int group, int ranks);

  std::vector<Slab> all_;
  bool is_periodic_ = false;
  Index halo_ = least_halo;
  int group_ = 1, ranks_ = 1;
};

/// An axis within a slab: it has no neighbours beyond.
[[nodiscard]] Axis sliced(const Axis& axis, const Slab& slab);
/// How a slab of an axis becomes the next level's. What a rank does not have counts 0: the planes
/// that it owns, and those of its halo that it interpolates, need none of that.
[[nodiscard]] Coarsening sliced(const Axis& axis, const Coarsening& whole, const Slab& fine,
                                const Slab& coarse);

/// Planes of an array of this device: the first that it holds, and what a plane takes.
struct Planes {
  void* first = nullptr;
  Bytes each;
  [[nodiscard]] void* at(Index plane) const {
    return static_cast<char*>(first) + plane * each.value;
  }
};

/// What ranks say to each other of planes.
struct Sharing : comm::Endpoint {
  /// Fills the halo of a slab, whose array has `around` planes more at both ends.
  [[nodiscard]] comm::Transfer halos(const Slabs& slabs, const Planes& planes,
                                     Index around = 0) const;
  /// Brings the planes of slabs to all ranks, where `planes` has the whole level, or to those of
  /// the rank's slab of `joined`, where `planes` has what that holds. Those of this rank are there.
  [[nodiscard]] comm::Transfer all(const Slabs& slabs, const Slabs* joined,
                                   const Planes& planes) const;
  /// The ranks that this one sends its planes to then.
  [[nodiscard]] std::vector<int> takers(const Slabs& slabs, const Slabs* joined) const;
};

} // namespace ridge::solve::detail
