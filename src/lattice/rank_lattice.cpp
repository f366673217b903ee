#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lattice/rank_lattice.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::lattice {

namespace {

/// Why a lattice cannot be divided so; empty where it can.
std::string problem(const Extents& whole, const Extents& ranks, int depth) {
  for (int d = 0; d < std::max(whole.rank(), ranks.rank()); ++d) {
    const Index need = ranks[d] > 1 ? std::max(depth, 1) : 1;
    if (whole[d] / ranks[d] >= need) continue;
    return fmt::format("lattice {} has too few sites along dimension {} for {} ranks: each must "
                       "own at least {}",
                       ridge::to_text(whole), d, ranks[d], need);
  }
  return {};
}

const Extents& checked(const Extents& whole, const Extents& ranks, int rank, int depth) {
  refuse_if(depth < 0, "a lattice over ranks has halos of 0 sites or more, not {}", depth);
  if (rank < 0 || rank >= ranks.count()) {
    throw UsageError(
        fmt::format("rank {} is not in a grid of {} ranks", rank, ridge::to_text(ranks)));
  }
  const std::string wrong = problem(whole, ranks, depth);
  if (!wrong.empty()) throw UsageError(wrong);
  return whole;
}

Extents made(const std::array<Index, max_rank>& sizes, int rank) {
  return {sizes.data(), rank};
}

Index power_of_two_in(Index n) {
  return n & -n;
}

/// The lattice with one of the divided dimensions rounded up, so that vectors of real numbers in
/// single precision, which have most lanes, fit it; as it is where none is divided.
Lattice with_room(const std::array<Index, max_rank>& sizes, const Extents& ranks, int rank,
                  int width) {
  const Index lanes = width / 4;
  std::array<Index, max_rank> best = sizes;
  Index fewest = -1;
  for (int d = 0; d < rank; ++d) {
    if (ranks[d] == 1) continue;
    Index others = 1;
    for (int k = 0; k < rank; ++k)
      others *= k == d ? 1 : power_of_two_in(sizes[static_cast<std::size_t>(k)]);
    const Index unit = ceil_div(lanes, std::min(others, lanes));
    auto candidate = sizes;
    Index& n = candidate[static_cast<std::size_t>(d)];
    n = ceil_div(n, unit) * unit;
    const Index sites = made(candidate, rank).count();
    if (fewest >= 0 && sites >= fewest) continue;
    fewest = sites;
    best = candidate;
  }
  return Lattice(made(best, rank), width);
}

} // namespace

RankLattice::RankLattice(const Extents& whole, const Extents& ranks, int rank, int depth, int width)
    : whole_(checked(whole, ranks, rank, depth)), ranks_(ranks), rank_(rank), depth_(depth),
      held_(whole, width) {
  std::array<Index, max_rank> sizes{};
  for (int d = 0; d < max_rank; ++d) {
    place_[d] = static_cast<int>(rank % ranks[d]);
    rank /= static_cast<int>(ranks[d]);
    begin_[d] = static_cast<int>(whole[d] * place_[d] / ranks[d]);
    const Index own = whole[d] * (place_[d] + 1) / ranks[d] - begin_[d];
    owned_.begin[d] = divided(d) ? depth : 0;
    owned_.end[d] = owned_.begin[d] + static_cast<int>(own);
    sizes[static_cast<std::size_t>(d)] = own + 2 * owned_.begin[d];
  }
  held_ = with_room(sizes, ranks, whole.rank(), width);
}

int RankLattice::neighbour(int d, int by) const {
  int rank = 0;
  for (int k = max_rank - 1; k >= 0; --k) {
    const int n = static_cast<int>(ranks_[k]);
    const int at = k == d ? ((place_[k] + by) % n + n) % n : place_[k];
    rank = rank * n + at;
  }
  return rank;
}

int RankLattice::starts_odd() const {
  int sum = 0;
  for (int d = 0; d < max_rank; ++d)
    sum += begin_[d] + owned_.begin[d];
  return sum % 2;
}

Index RankLattice::moved(Index site, const Extents& to, const Coordinates& by) const {
  Index result = 0;
  Index stride = 1;
  for (int d = 0; d < whole_.rank(); ++d) {
    const Index n = owned_.end[d] - owned_.begin[d];
    result += (site % n + by[d]) * stride;
    stride *= to[d];
    site /= n;
  }
  return result;
}

Extents choose_ranks(int ranks, const Extents& whole, int depth) {
  return comm::choose_grid(ranks, whole, std::max(depth, 1));
}

void detail::check_held(const RankLattice& part, const Geometry& field) {
  for (int d = 0; d < part.whole().rank(); ++d) {
    const Index kept = part.held().extents()[d];
    if (field.extent(d) == kept) continue;
    throw UsageError(fmt::format("a field of a kernel over ranks has {} sites along dimension {} "
                                 "where this rank keeps {}: make it on the part's held() lattice",
                                 field.extent(d), d, kept));
  }
}

void detail::check_owned(const RankLattice& part, const FieldLabel& field, std::size_t count) {
  check_same_lattice(part.held(), "this rank's part", field.lattice, field.name);
  if (static_cast<Index>(count) == part.owned().count()) return;
  throw UsageError(fmt::format("{} sites were given for {}, of which this rank owns {}", count,
                               field.name, part.owned().count()));
}

} // namespace ridge::lattice
