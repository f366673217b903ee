#include <ridge/comm/push.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/exported.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/halo.hpp>
#include <ridge/lattice/stored/exchange.hpp>
#include <ridge/lattice/stored/field.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>

namespace ridge::lattice {

namespace {

/// For a field and one side.
struct Face {
  SiteWindow sites;
  StoredSums sums;
};
/// Faces of a field, in the order of messages.
struct FieldFaces {
  std::vector<Face> sent, received;
  std::vector<StoredLanding> landings;
};

int sums_of(const StoredMemory& field) {
  return field.words == field.elements ? field.sums[0][0].count : 0; // else in 16 bits
}
int sent_words(const StoredMemory& field) {
  return sums_of(field) > 0 ? sums_of(field) : field.words;
}

/// Faces of a field, without a buffer.
template <class T>
StoredCopies<T> face_copies(const SiteGrid& grid, const StoredMemory& field,
                            const std::vector<Face>& faces) {
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
  Index at = 0;
  for (const Face& face : faces) {
    StoredFace& box = copies.boxes[copies.count++];
    box = {face.sites, {}, at, face.sums};
    std::copy_n(grid.extent, grid_dimensions, box.extent);
    const Index size = face.sites.count() * copies.values * copies.sent_words;
    if (size > INT_MAX) throw Failure("a rank's face has more than 2^31 - 1 numbers");
    at += size;
  }
  return copies;
}

/// Dimensions that a face has all of lie together with the next: a thread divides once less.
void fold(StoredFace& face, StoredLanding* landing, const SiteGrid& grid) {
  if (grid.has_boxes()) return;
  for (int d = 0; d + 1 < grid_dimensions; ++d) {
    const int n = face.extent[d];
    if (face.sites.begin[d] != 0 || face.sites.end[d] != n) return;
    const auto join = [&](int(&begin)[grid_dimensions], int(&extent)[grid_dimensions]) {
      begin[d] = 0;
      extent[d] = 1;
      begin[d + 1] *= n;
      extent[d + 1] *= n;
    };
    if (landing != nullptr) {
      join(landing->begin, landing->extent);
      landing->own[d] = 0;
      landing->own[d + 1] *= n;
    }
    join(face.sites.begin, face.extent);
    face.sites.end[d] = 1;
    face.sites.end[d + 1] *= n;
  }
}

template <class T>
Bound bind_faces(Queue& queue, const SiteGrid& grid, const StoredMemory& field,
                 const std::vector<Face>& faces, void* buffer, bool to_field) {
  StoredCopies<T> copies = face_copies<T>(grid, field, faces);
  copies.to_field = to_field;
  const StoredFace& last = copies.boxes[copies.count - 1];
  copies.buffer = {static_cast<T*>(buffer),
                   last.buffer + last.sites.count() * copies.values * copies.sent_words};
  for (int b = 0; b < copies.count; ++b)
    fold(copies.boxes[b], nullptr, grid);
  using Bind = Bound(Queue&, const StoredCopies<T>&);
  return offered<Bind>(queue.device().kind(), typeid(StoredCopier<T>*))(queue, copies);
}

template <class T>
Bound bind_pushes(Queue& queue, const SiteGrid& grid, const StoredMemory& field,
                  const FieldFaces& faces, const comm::PushCall& call) {
  StoredPushes<T> pushes{face_copies<T>(grid, field, faces.sent), {}};
  for (int b = 0; b < pushes.copies.count; ++b) {
    pushes.landings[b] = faces.landings[static_cast<std::size_t>(b)];
    fold(pushes.copies.boxes[b], &pushes.landings[b], grid);
  }
  using Bind = Bound(Queue&, const comm::PushCall&, const StoredPushes<T>&);
  return offered<Bind>(queue.device().kind(), typeid(StoredPusher<T>*))(queue, call, pushes);
}

comm::Phase::Copies copies_of(const SiteGrid& grid, const StoredMemory& field,
                              const std::vector<Face>& faces, bool to_field) {
  return [=](Queue& queue, void* buffer) {
    return field.element_bytes == 8
               ? bind_faces<std::uint64_t>(queue, grid, field, faces, buffer, to_field)
               : bind_faces<std::uint32_t>(queue, grid, field, faces, buffer, to_field);
  };
}

/// Where what this rank owns at a face comes to lie on the rank that gets it.
StoredLanding landing_of(const StoredPart& part, const SiteGrid& grid, const StoredMemory& field,
                         int d, int side) {
  const StoredPart there(part.whole(), part.ranks(), part.neighbour(d, -side), part.halves());
  const SiteWindow layer = detail::faces_of(there.owned(), d, side, 1).received;
  const SiteWindow own = detail::faces_of(part.owned(), d, side, 1).received;
  SiteGrid theirs = grid;
  StoredLanding landing;
  for (int k = 0; k < grid_dimensions; ++k) {
    theirs.extent[k] = there.owned().end[k] + there.owned().begin[k];
    landing.extent[k] = theirs.extent[k];
    landing.begin[k] = layer.begin[k];
    landing.own[k] = own.begin[k];
  }
  const auto groups = detail::stored_groups(theirs, field.inner);
  landing.size = groups.groups * groups.lanes * field.words;
  return landing;
}

/// Faces of the field with this number, their messages from and to `memory`.
FieldFaces add_faces(const StoredPart& part, const SiteGrid& grid, const StoredMemory& field,
                     int number, void* memory, comm::Phase& phase) {
  const Index site =
      Index{field.inner ? grid.inner : 1} * sent_words(field) * Index{field.element_bytes};
  FieldFaces all;
  for (int d = 0; d < grid_dimensions; ++d) {
    if (!part.divided(d)) continue;
    for (const int side : {-1, 1}) {
      const auto faces = detail::faces_of(part.owned(), d, side, 1);
      const Bytes size{faces.sent.count() * site};
      const int tag = (number * grid_dimensions + d) * 2 + (side + 1) / 2;
      phase.sends.push_back({memory, size, part.neighbour(d, -side), tag});
      phase.receives.push_back({memory, size, part.neighbour(d, side), tag});
      const StoredSums& sums = field.sums[d][side < 0 ? 0 : 1];
      all.sent.push_back({faces.sent, sums});
      all.received.push_back({faces.received, sums});
      all.landings.push_back(landing_of(part, grid, field, d, side));
    }
  }
  return all;
}

/// Whether each rank's GPU stores into its neighbours' fields: sums, where all of it is gained, and
/// not faces in x, which are single sites: packed, they travel as whole lines.
bool can_push(const comm::Endpoint& at, const StoredPart& part,
              const std::vector<StoredMemory>& fields) {
  if (at.carrier != comm::Carrier::peer || fields.size() != 1 || part.divided(0)) return false;
  if (sums_of(fields[0]) == 0) return false;
  const bool is_shared = export_memory(at.queue.device(), fields[0].data).has_value();
  const auto all = at.ranks.gather(is_shared ? 1 : 0);
  return std::find(all.begin(), all.end(), 0) == all.end();
}

comm::Transfer transfer_of(const comm::Endpoint& at, const StoredPart& part, const SiteGrid& grid,
                           const std::vector<StoredMemory>& fields) {
  detail::check_rank(part.ranks(), part.rank(), at.ranks);
  comm::Phase all;
  if (can_push(at, part, fields)) {
    const StoredMemory& field = fields[0];
    const FieldFaces faces = add_faces(part, grid, field, 0, field.data, all);
    return {at, std::move(all), comm::Travels::beside,
            [=](Queue& queue, const comm::PushCall& call) {
              return field.element_bytes == 8
                         ? bind_pushes<std::uint64_t>(queue, grid, field, faces, call)
                         : bind_pushes<std::uint32_t>(queue, grid, field, faces, call);
            }};
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldFaces faces = add_faces(part, grid, fields[i], static_cast<int>(i), nullptr, all);
    if (faces.sent.empty()) continue;
    all.pack("the messages of a stored field", copies_of(grid, fields[i], faces.sent, false));
    all.unpack("the messages of a stored field", copies_of(grid, fields[i], faces.received, true));
  }
  std::vector<comm::Phase> phases; // none on all ranks
  if (!all.sends.empty()) phases.push_back(std::move(all));
  return {at, std::move(phases), comm::Travels::beside};
}

} // namespace

StoredExchange::StoredExchange(const comm::Endpoint& at, const StoredPart& part,
                               const SiteGrid& grid, const std::vector<StoredMemory>& fields)
    : Transfer(transfer_of(at, part, grid, fields)) {}

StoredExchange::StoredExchange(comm::Communicator& ranks, Queue& queue, const StoredPart& part,
                               const SiteGrid& grid, const std::vector<StoredMemory>& fields)
    : StoredExchange({ranks, queue}, part, grid, fields) {}

} // namespace ridge::lattice
