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

/// The number of each site in plain order of the whole lattice, as the real part: numbers of the
/// links' size, so that they lie as links do.
inline void number_sites(Queue& queue, const lattice::RankLattice& part,
                         lattice::Field<lattice::Complex<double>>& field) {
  std::vector<lattice::Complex<double>> numbers(static_cast<std::size_t>(part.owned().count()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = {static_cast<double>(part.in_whole(static_cast<Index>(i))), 0};
  set_owned(queue, field, part, numbers);
}

/// Of one rank the record is as it was.
[[nodiscard]] inline Record of_all_ranks(Record whole, const lattice::RankLattice& part,
                                         comm::Carrier carrier) {
  if (part.ranks().count() == 1) return whole;
  return lattice::detail::rank_record(std::move(whole), part, carrier);
}

} // namespace ridge::gauge
