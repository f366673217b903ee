#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/halo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ridge::lattice {

namespace {

template <class T>
Bound bind_words(Queue& queue, const FieldReach& field, const std::vector<SiteBox>& boxes,
                 void* buffer, bool to_field) {
  HaloCopies<T> copies;
  copies.geometry = field.geometry;
  copies.components = field.shape.components;
  copies.words = field.shape.number_bytes() / static_cast<int>(sizeof(T));
  copies.to_field = to_field;
  const Index site = Index{copies.components} * copies.words;
  copies.field = {static_cast<T*>(const_cast<void*>(field.data)), field.geometry.sites() * site};
  Index at = 0;
  for (const SiteBox& box : boxes) {
    copies.boxes[copies.count++] = {box, at};
    at += box.count() * site;
  }
  copies.buffer = {static_cast<T*>(buffer), at};
  using Bind = Bound(Queue&, const HaloCopies<T>&);
  return offered<Bind>(queue.device().kind(), typeid(HaloCopier<T>*))(queue, copies);
}

comm::Phase::Copies copies_of(const FieldReach& field, const std::vector<SiteBox>& boxes,
                              bool to_field) {
  return [=](Queue& queue, void* buffer) {
    return field.shape.number_bytes() % 8 == 0
               ? bind_words<std::uint64_t>(queue, field, boxes, buffer, to_field)
               : bind_words<std::uint32_t>(queue, field, boxes, buffer, to_field);
  };
}

void check_depth(const RankLattice& part, const FieldReach& field) {
  detail::check_held(part, field.geometry);
  for (int d = 0; d < part.whole().rank(); ++d) {
    const int far = std::max(field.below[d], field.above[d]);
    if (!part.divided(d) || far <= part.depth()) continue;
    throw UsageError(fmt::format("a field is read {} sites away along dimension {}, and this "
                                 "lattice over ranks has halos of {}: make it with a depth of {}",
                                 far, d, part.depth(), far));
  }
}

/// Faces of the field with this number along dimension d.
void add_faces(const RankLattice& part, const FieldReach& field, int number, int d,
               comm::Phase& phase) {
  SiteBox owned = part.owned();
  for (int k = 0; field.diagonal && k < d; ++k) { // with what dimensions before have brought
    if (!part.divided(k)) continue;
    owned.begin[k] -= field.below[k];
    owned.end[k] += field.above[k];
  }
  std::vector<SiteBox> sent, received;
  for (const int side : {-1, 1}) {
    const int depth = side < 0 ? field.below[d] : field.above[d];
    if (depth == 0) continue;
    const auto faces = detail::faces_of(owned, d, side, depth);
    const Bytes size{faces.sent.count() * field.shape.site_bytes()};
    const int tag = (number * max_rank + d) * 2 + (side + 1) / 2;
    phase.sends.push_back({nullptr, size, part.neighbour(d, -side), tag});
    phase.receives.push_back({nullptr, size, part.neighbour(d, side), tag});
    sent.push_back(faces.sent);
    received.push_back(faces.received);
  }
  if (sent.empty()) return;
  phase.pack("the messages of a halo", copies_of(field, sent, false));
  phase.unpack("the messages of a halo", copies_of(field, received, true));
}

std::vector<comm::Phase> halo_phases(const comm::Communicator& ranks, const RankLattice& part,
                                     const std::vector<FieldReach>& fields) {
  detail::check_rank(part.ranks(), part.rank(), ranks);
  const int dimensions = part.whole().rank();
  std::vector<comm::Phase> phases(static_cast<std::size_t>(dimensions));
  int number = 0;
  for (const FieldReach& field : fields) {
    check_depth(part, field);
    for (int d = 0; d < dimensions; ++d) {
      if (!part.divided(d)) continue;
      add_faces(part, field, number, d, phases[static_cast<std::size_t>(field.diagonal ? d : 0)]);
    }
    ++number;
  }
  std::erase_if(phases, [](const auto& phase) { return phase.sends.empty(); }); // on all ranks
  return phases;
}

} // namespace

void detail::check_rank(const Extents& grid, int rank, const comm::Communicator& ranks) {
  if (grid.count() == ranks.ranks() && rank == ranks.rank()) return;
  throw UsageError(fmt::format("the part of rank {} of a grid of {} ranks, on rank {} of {}", rank,
                               ridge::to_text(grid), ranks.rank(), ranks.ranks()));
}

HaloExchange::HaloExchange(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                           const std::vector<FieldReach>& fields)
    : Transfer({ranks, queue}, halo_phases(ranks, part, fields), comm::Travels::beside) {}

} // namespace ridge::lattice
