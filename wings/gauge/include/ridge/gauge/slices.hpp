// Links on the host over ranks: each has some slices of t.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/lattice/rank_lattice.hpp>

namespace ridge::gauge {

/// The slices of t of a lattice, shared evenly among ranks in their order. A rank's links are a
/// HostLinks of its own sites; where ranks are more than slices, some have none.
class Slices {
public:
  /// `ranks` must outlive it. `extents` has four dimensions.
  Slices(comm::Communicator& ranks, const Extents& extents) : ranks_(ranks), extents_(extents) {}

  [[nodiscard]] comm::Communicator& ranks() const { return ranks_; }
  [[nodiscard]] const Extents& extents() const { return extents_; }
  /// Sites of one slice.
  [[nodiscard]] Index slice() const { return extents_.count() / extents_[3]; }
  /// The first slice of a rank.
  [[nodiscard]] Index begin(int rank) const { return extents_[3] * rank / ranks_.ranks(); }
  [[nodiscard]] Index count(int rank) const { return begin(rank + 1) - begin(rank); }
  /// The sites of this rank, x fastest: the first of them, and how many.
  [[nodiscard]] Index first_site() const { return begin(ranks_.rank()) * slice(); }
  [[nodiscard]] Index sites() const { return count(ranks_.rank()) * slice(); }

private:
  comm::Communicator& ranks_;
  Extents extents_;
};

/// The averages over all ranks' links, with the bits of one rank. Collective.
[[nodiscard]] LinkAverages link_averages(const Slices& slices, const HostLinks& links);
/// For all ranks' links; `link` counts those of the whole lattice. Collective.
[[nodiscard]] Unitarity unitarity(const Slices& slices, const HostLinks& links);
/// Makes every rank's links special unitary. Throws Failure that says the first which is near no
/// element of SU(3): zeros, dependent rows, numbers that are none. Collective.
void make_special_unitary(const Slices& slices, HostLinks& links);

/// Brings links of slices to the ranks that own the sites in `part`, there x fastest in what a rank
/// owns; and back. Collective.
[[nodiscard]] HostLinks to_part(const Slices& slices, const lattice::RankLattice& part,
                                HostLinks links);
[[nodiscard]] HostLinks to_slices(const Slices& slices, const lattice::RankLattice& part,
                                  HostLinks links);

} // namespace ridge::gauge
