// How a lattice is divided among ranks: which sites a rank owns, and the lattice that it keeps in
// memory, with room for its neighbours' sites.
//
//   const RankLattice part({32, 32, 32, 64}, choose_ranks(world.ranks(), {32, 32, 32, 64}),
//                          world.rank());
//   Field<Spinor<double>> psi(device, part.held(), "psi");
//
// A field over ranks is a field on `held()`: layouts, site kernels, expressions and schedules are
// those of one rank. Lattices go round, and so do their parts over ranks.
#pragma once

#include <ridge/lattice/field.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ridge::lattice {

/// All sites of extents.
[[nodiscard]] inline SiteBox box_of(const Extents& extents) {
  SiteBox box;
  for (int d = 0; d < max_rank; ++d)
    box.end[d] = static_cast<int>(extents[d]);
  return box;
}

/// The part of one rank. Along dimensions that are divided it keeps `depth` sites of each
/// neighbour, and so many more, which nobody reads, that the lanes of a vector can be equal boxes.
class RankLattice {
public:
  /// `ranks`: how many along each dimension; rank = r_0 + R_0 (r_1 + R_1 (r_2 ...)). Throws
  /// UsageError unless each owns at least `depth` sites, and one, along each dimension.
  RankLattice(const Extents& whole, const Extents& ranks, int rank, int depth = 1,
              int width = Lattice::default_width);

  [[nodiscard]] const Extents& whole() const { return whole_; }
  [[nodiscard]] const Extents& ranks() const { return ranks_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] bool divided(int d) const { return ranks_[d] > 1; }
  /// The rank `by` further along a dimension, around the lattice.
  [[nodiscard]] int neighbour(int d, int by) const;

  /// The sites that this rank keeps in memory.
  [[nodiscard]] const Lattice& held() const { return held_; }
  /// The sites that it owns, in coordinates of `held()`.
  [[nodiscard]] const SiteBox& owned() const { return owned_; }
  /// The first site that it owns, in coordinates of the whole lattice.
  [[nodiscard]] const Coordinates& begin() const { return begin_; }
  /// 1 where the first site of `held()` is an odd one of the whole lattice.
  [[nodiscard]] int starts_odd() const;
  /// A site that it owns, counted with x fastest, as it is counted in `held()` and in `whole()`.
  [[nodiscard]] Index in_held(Index site) const {
    return moved(site, held_.extents(), owned_.begin);
  }
  [[nodiscard]] Index in_whole(Index site) const { return moved(site, whole_, begin_); }

private:
  [[nodiscard]] Index moved(Index site, const Extents& to, const Coordinates& by) const;

  Extents whole_, ranks_;
  int rank_, depth_;
  Coordinates place_, begin_;
  SiteBox owned_;
  Lattice held_;
};

/// The grid of so many ranks that sends least, of equals the one that divides later dimensions.
/// Throws UsageError where no grid leaves each rank `depth` sites.
[[nodiscard]] Extents choose_ranks(int ranks, const Extents& whole, int depth = 1);

namespace detail {
/// Throws UsageError unless a field of a kernel over ranks is on what the rank keeps.
void check_held(const RankLattice& part, const Geometry& field);
/// Throws UsageError unless a field is on what the rank keeps, and `count` sites are what it owns.
void check_owned(const RankLattice& part, const FieldLabel& field, std::size_t count);
} // namespace detail

/// Sets what this rank owns, in plain order, and waits; its other sites become 0. Throws UsageError
/// when it is not one tensor a site.
template <class Site>
void set_owned(Queue& queue, Field<Site>& field, const RankLattice& part,
               const std::vector<Site>& sites) {
  detail::check_owned(part, field.label(), sites.size());
  std::vector<Site> held(static_cast<std::size_t>(part.held().sites()));
  for (std::size_t i = 0; i < sites.size(); ++i)
    held[static_cast<std::size_t>(part.in_held(static_cast<Index>(i)))] = sites[i];
  field.set(queue, held);
}
/// Copies what this rank owns to the host, in plain order, and waits.
template <class Site>
[[nodiscard]] std::vector<Site> get_owned(Queue& queue, const Field<Site>& field,
                                          const RankLattice& part) {
  const auto held = field.get(queue);
  std::vector<Site> sites(static_cast<std::size_t>(part.owned().count()));
  detail::check_owned(part, field.label(), sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i)
    sites[i] = held[static_cast<std::size_t>(part.in_held(static_cast<Index>(i)))];
  return sites;
}

} // namespace ridge::lattice
