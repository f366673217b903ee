// Links on the host over ranks: from slices of t to parts of a grid of ranks, and back.
#include <ridge/gauge/slices.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ridge::gauge {

namespace {

using Link = lattice::ColourMatrix<double>;

/// Where what a rank owns lies in the lattice.
struct Place {
  Index begin[4], extent[4];

  explicit Place(const lattice::RankLattice& part) {
    for (int d = 0; d < 4; ++d) {
      begin[d] = part.begin()[d];
      extent[d] = part.owned().end[d] - part.owned().begin[d];
    }
  }
};

/// Calls row(its first site among those of the slices, among those of the place, and how many)
/// for the rows along x that both have.
template <class Row>
void each_row(const Slices& slices, int of_slices, const Place& place, const Row& row) {
  const Extents& n = slices.extents();
  const Index first = slices.begin(of_slices);
  const Index from = std::max(first, place.begin[3]);
  const Index to = std::min(first + slices.count(of_slices), place.begin[3] + place.extent[3]);
  for (Index t = from; t < to; ++t) {
    for (Index z = 0; z < place.extent[2]; ++z) {
      for (Index y = 0; y < place.extent[1]; ++y) {
        const Index in_slices =
            place.begin[0] +
            n[0] * (place.begin[1] + y + n[1] * (place.begin[2] + z + n[2] * (t - first)));
        const Index in_place =
            place.extent[0] * (y + place.extent[1] * (z + place.extent[2] * (t - place.begin[3])));
        row(in_slices, in_place, place.extent[0]);
      }
    }
  }
}

/// A buffer of what goes to a rank or comes from it, as a message.
void add_message(std::vector<Link>& buffer, int peer, std::vector<comm::Message>& messages) {
  const Bytes size{static_cast<Index>(buffer.size() * sizeof(Link))};
  if (size.value > 0) messages.push_back({buffer.data(), size, peer, 0});
}

HostLinks moved(const Slices& slices, const lattice::RankLattice& part, HostLinks links,
                bool to_slices) {
  comm::Communicator& ranks = slices.ranks();
  if (ranks.ranks() == 1) return links;
  const int me = ranks.rank();
  const Place mine(part);
  const auto count = static_cast<std::size_t>(ranks.ranks());
  std::vector<std::vector<Link>> out(count);
  std::vector<std::vector<Link>> in(count);
  std::vector<Place> places;
  for (int rank = 0; rank < ranks.ranks(); ++rank)
    places.emplace_back(lattice::RankLattice(part.whole(), part.ranks(), rank, part.depth()));
  // The rows that this rank's links share with another's: of my slices and its place, or the other
  // way round.
  const auto rows_of = [&](int rank, bool of_my_slices, const auto& row) {
    if (of_my_slices) {
      each_row(slices, me, places[static_cast<std::size_t>(rank)],
               [&](Index in_slices, Index, Index n) { row(in_slices, n); });
    } else {
      each_row(slices, rank, mine, [&](Index, Index in_place, Index n) { row(in_place, n); });
    }
  };
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    auto& to = out[static_cast<std::size_t>(rank)];
    rows_of(rank, !to_slices, [&](Index first, Index n) {
      const Link* const from = links.data() + 4 * first;
      to.insert(to.end(), from, from + 4 * n);
    });
    Index expected = 0;
    rows_of(rank, to_slices, [&](Index, Index n) { expected += 4 * n; });
    in[static_cast<std::size_t>(rank)].resize(static_cast<std::size_t>(expected));
    add_message(to, rank, sends);
    add_message(in[static_cast<std::size_t>(rank)], rank, receives);
  }
  HostLinks().swap(links);
  ranks.exchange(std::move(sends), std::move(receives));
  links.resize(static_cast<std::size_t>(4 * (to_slices ? slices.sites() : part.owned().count())));
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const Link* from = in[static_cast<std::size_t>(rank)].data();
    rows_of(rank, to_slices, [&](Index first, Index n) {
      std::copy(from, from + 4 * n, links.data() + 4 * first);
      from += 4 * n;
    });
  }
  return links;
}

} // namespace

HostLinks to_part(const Slices& slices, const lattice::RankLattice& part, HostLinks links) {
  return moved(slices, part, std::move(links), false);
}

HostLinks to_slices(const Slices& slices, const lattice::RankLattice& part, HostLinks links) {
  return moved(slices, part, std::move(links), true);
}

} // namespace ridge::gauge
