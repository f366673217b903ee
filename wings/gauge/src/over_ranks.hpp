// What launches over ranks share, and how those of one rank are a case of them.
#pragma once

#include <ridge/lattice/rank_program.hpp>

namespace ridge::gauge {

inline comm::Communicator& one_rank() {
  static const std::unique_ptr<comm::Communicator> alone = comm::alone();
  return *alone;
}

/// All of a lattice, as the part of one rank.
[[nodiscard]] inline lattice::RankLattice whole_part(const lattice::Lattice& lattice) {
  return {lattice.extents(), Extents{1, 1, 1, 1}, 0, 1, lattice.width()};
}

/// A field that is read at the neighbours along every dimension, and along two at once where
/// `diagonal`.
template <class Site>
[[nodiscard]] lattice::FieldReach all_around(const lattice::Field<Site>& field, bool diagonal) {
  const lattice::Coordinates one{{1, 1, 1, 1}};
  return {field.reals().data, field.shape(), field.geometry(), one, one, diagonal};
}

/// Of one rank the record is as it was.
[[nodiscard]] inline Record of_all_ranks(Record whole, const lattice::RankLattice& part,
                                         comm::Carrier carrier) {
  if (part.ranks().count() == 1) return whole;
  return lattice::detail::rank_record(std::move(whole), part, carrier);
}

} // namespace ridge::gauge
