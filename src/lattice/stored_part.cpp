// Stored fields over ranks: who owns which sites.
#include <ridge/core/error.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/stored/part.hpp>

#include "stored_boxes.hpp"

#include <fmt/format.h>

#include <cstring>

namespace ridge::lattice {

namespace {

/// Extents as they are stored.
Extents stored_extents(const Extents& whole, bool halves) {
  detail::check_stored_extents(whole, halves);
  return {halves ? whole[0] / 2 : whole[0], whole[1], whole[2], whole[3]};
}

} // namespace

StoredPart::StoredPart(const Extents& whole, const Extents& ranks, int rank, bool halves)
    : whole_(whole), ranks_(ranks), rank_(rank), halves_(halves) {
  const Extents stored = stored_extents(whole, halves);
  for (int d = 0; d < grid_dimensions; ++d) {
    place_[d] = static_cast<int>(rank % ranks[d]);
    rank /= static_cast<int>(ranks[d]);
    if (stored[d] < ranks[d]) {
      throw UsageError(fmt::format("lattice {} has too few sites along {} for {} ranks: each must "
                                   "own at least {}, so at most {} are right there",
                                   to_text(whole), "xyzt"[d], ranks[d], halves && d == 0 ? 2 : 1,
                                   stored[d]));
    }
    const int begin = static_cast<int>(stored[d] * place_[d] / ranks[d]);
    const int end = static_cast<int>(stored[d] * (place_[d] + 1) / ranks[d]);
    const int halo = divided(d) ? 1 : 0;
    owned_.begin[d] = halo;
    owned_.end[d] = halo + end - begin;
    origin_[d] = (begin - halo) * (halves && d == 0 ? 2 : 1);
  }
}

int StoredPart::neighbour(int d, int by) const {
  int rank = 0;
  for (int k = grid_dimensions - 1; k >= 0; --k) {
    const int n = static_cast<int>(ranks_[k]);
    const int at = k == d ? ((place_[k] + by) % n + n) % n : place_[k];
    rank = rank * n + at;
  }
  return rank;
}

SiteGrid StoredPart::grid(const Device& device, Sites sites, int real_bytes, int inner) const {
  SiteGrid g = detail::stored_sites(whole_, sites, inner);
  bool cut[grid_dimensions];
  for (int d = 0; d < grid_dimensions; ++d) {
    g.extent[d] = owned_.end[d] + owned_.begin[d];
    cut[d] = !divided(d);
    if (g.half != 0) g.parity = (g.parity + origin_[d]) & 1;
  }
  return detail::placed_sites(device, g, real_bytes, cut);
}

SiteWindow StoredPart::inner() const {
  SiteWindow w = owned_;
  for (int d = 0; d < grid_dimensions; ++d) {
    if (!divided(d)) continue;
    ++w.begin[d];
    --w.end[d];
  }
  return w.count() > 0 ? w : SiteWindow{};
}

std::vector<SiteWindow> StoredPart::outer() const {
  if (inner().count() == 0) return {owned_};
  std::vector<SiteWindow> faces;
  SiteWindow rest = owned_;
  for (int d = grid_dimensions - 1; d >= 0; --d) {
    if (!divided(d)) continue;
    SiteWindow low = rest;
    SiteWindow high = rest;
    low.end[d] = ++rest.begin[d];
    high.begin[d] = --rest.end[d];
    faces.push_back(low);
    faces.push_back(high);
  }
  return faces;
}

void gather_stored(comm::Communicator& ranks, const StoredPart& part, void* all, Index site_bytes) {
  auto* const sites = static_cast<char*>(all);
  std::vector<char> packed; // one rank after the other: memory of one part
  const auto message = [&](int peer) {
    const Bytes size{static_cast<Index>(packed.size())};
    return std::vector{comm::Message{packed.data(), size, peer, 0}};
  };
  if (ranks.rank() != 0) {
    part.each_row([&](Index first, Index count) {
      packed.insert(packed.end(), sites + first * site_bytes, sites + (first + count) * site_bytes);
    });
    ranks.exchange(message(0), {});
    return;
  }
  for (int rank = 1; rank < ranks.ranks(); ++rank) {
    const StoredPart theirs(part.whole(), part.ranks(), rank, part.halves());
    Index size = 0;
    theirs.each_row([&](Index, Index count) { size += count * site_bytes; });
    packed.resize(static_cast<std::size_t>(size));
    ranks.exchange({}, message(rank));
    const char* from = packed.data();
    theirs.each_row([&](Index first, Index count) {
      std::memcpy(sites + first * site_bytes, from, static_cast<std::size_t>(count * site_bytes));
      from += count * site_bytes;
    });
  }
}

Extents choose_stored_ranks(int ranks, const Extents& whole, bool halves) {
  const Extents stored = stored_extents(whole, halves);
  try {
    return choose_ranks(ranks, stored);
  } catch (const UsageError&) { // its lattice is not what the user knows
    throw UsageError(fmt::format("{} ranks are too many for lattice {}: each must own at least {} "
                                 "along the dimensions that are divided; start fewer ranks",
                                 ranks, to_text(whole), halves ? "1, and 2 along x," : "1"));
  }
}

} // namespace ridge::lattice
