#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/halo.hpp>
#include <ridge/lattice/stored/exchange.hpp>

#include <climits>
#include <cstdint>

namespace ridge::lattice {

namespace {

/// For a field and one side.
struct Face {
  SiteWindow sites;
  StoredSums sums;
};

int sums_of(const StoredMemory& field) {
  return field.words == field.elements ? field.sums[0][0].count : 0; // else in 16 bits
}
int sent_words(const StoredMemory& field) {
  return sums_of(field) > 0 ? sums_of(field) : field.words;
}

template <class T>
Bound bind_faces(Queue& queue, const SiteGrid& grid, const StoredMemory& field,
                 const std::vector<Face>& faces, void* buffer, bool to_field) {
  StoredCopies<T> copies;
  copies.field = {static_cast<T*>(field.data), field.size};
  copies.grid = grid;
  copies.lanes = field.lanes;
  copies.words = field.words;
  copies.sums = sums_of(field) > 0;
  copies.sent_elements = copies.sums ? sums_of(field) : field.elements;
  copies.sent_words = sent_words(field);
  copies.values = field.inner ? grid.inner : 1;
  copies.chunk = grid.chunk == 0 ? 1 : grid.chunk / static_cast<int>(sizeof(T));
  copies.to_field = to_field;
  Index at = 0;
  for (const Face& face : faces) {
    copies.boxes[copies.count++] = {face.sites, at, face.sums};
    const Index size = face.sites.count() * copies.values * copies.sent_words;
    if (size > INT_MAX) throw Failure("a rank's face has more than 2^31 - 1 numbers");
    at += size;
  }
  copies.buffer = {static_cast<T*>(buffer), at};
  using Bind = Bound(Queue&, const StoredCopies<T>&);
  return offered<Bind>(queue.device().kind(), typeid(StoredCopier<T>*))(queue, copies);
}

comm::Phase::Copies copies_of(const SiteGrid& grid, const StoredMemory& field,
                              const std::vector<Face>& faces, bool to_field) {
  return [=](Queue& queue, void* buffer) {
    return field.element_bytes == 8
               ? bind_faces<std::uint64_t>(queue, grid, field, faces, buffer, to_field)
               : bind_faces<std::uint32_t>(queue, grid, field, faces, buffer, to_field);
  };
}

/// Faces of the field with this number.
void add_faces(const StoredPart& part, const SiteGrid& grid, const StoredMemory& field, int number,
               comm::Phase& phase) {
  const Index site =
      Index{field.inner ? grid.inner : 1} * sent_words(field) * Index{field.element_bytes};
  std::vector<Face> sent, received;
  for (int d = 0; d < grid_dimensions; ++d) {
    if (!part.divided(d)) continue;
    for (const int side : {-1, 1}) {
      const auto faces = detail::faces_of(part.owned(), d, side, 1);
      const Bytes size{faces.sent.count() * site};
      const int tag = (number * grid_dimensions + d) * 2 + (side + 1) / 2;
      phase.sends.push_back({nullptr, size, part.neighbour(d, -side), tag});
      phase.receives.push_back({nullptr, size, part.neighbour(d, side), tag});
      const StoredSums& sums = field.sums[d][side < 0 ? 0 : 1];
      sent.push_back({faces.sent, sums});
      received.push_back({faces.received, sums});
    }
  }
  if (sent.empty()) return;
  phase.pack("the messages of a stored field", copies_of(grid, field, sent, false));
  phase.unpack("the messages of a stored field", copies_of(grid, field, received, true));
}

std::vector<comm::Phase> stored_phases(const comm::Communicator& ranks, const StoredPart& part,
                                       const SiteGrid& grid,
                                       const std::vector<StoredMemory>& fields) {
  detail::check_rank(part.ranks(), part.rank(), ranks);
  comm::Phase all;
  for (std::size_t i = 0; i < fields.size(); ++i)
    add_faces(part, grid, fields[i], static_cast<int>(i), all);
  if (all.sends.empty()) return {}; // on all ranks
  return {std::move(all)};
}

} // namespace

StoredExchange::StoredExchange(comm::Communicator& ranks, Queue& queue, const StoredPart& part,
                               const SiteGrid& grid, const std::vector<StoredMemory>& fields)
    : Transfer({ranks, queue}, stored_phases(ranks, part, grid, fields), comm::Travels::beside) {}

} // namespace ridge::lattice
