#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/order.hpp>
#include <ridge/lattice/stored/exchange.hpp>

#include <fmt/format.h>

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

} // namespace

struct StoredExchange::State {
  State(comm::Communicator& ranks, Queue& compute, const StoredPart& part_, const SiteGrid& grid_,
        const std::vector<StoredMemory>& fields)
      : work(compute), own(urgent_queue(compute.device())), begun(compute.device()),
        done(compute.device()), part(part_), grid(grid_),
        carrier(comm::choose_carrier(ranks, compute.device())) {
    if (part.ranks().count() != ranks.ranks() || part.rank() != ranks.rank()) {
      throw UsageError(fmt::format("the part of rank {} of a grid of {} ranks, on rank {} of {}",
                                   part.rank(), to_text(part.ranks()), ranks.rank(),
                                   ranks.ranks()));
    }
    std::vector<comm::Message> sends;
    std::vector<comm::Message> receives;
    for (std::size_t i = 0; i < fields.size(); ++i)
      add(fields[i], static_cast<int>(i), sends, receives);
    for (const comm::Message& m : sends)
      bytes += m.size.value;
    if (!sends.empty())
      transfer = comm::bind_on_device(ranks, own, carrier, std::move(sends), std::move(receives));
  }

  /// What lies above a site comes from the rank above, whose lowest sites it are.
  void add(const StoredMemory& field, int number, std::vector<comm::Message>& sends,
           std::vector<comm::Message>& receives) {
    std::vector<Face> sent, received;
    std::vector<int> to, from, tags;
    for (int d = 0; d < grid_dimensions; ++d) {
      if (!part.divided(d)) continue;
      for (const int side : {-1, 1}) {
        const StoredSums& sums = field.sums[d][side < 0 ? 0 : 1];
        SiteWindow face = part.owned();
        const int begin = face.begin[d];
        const int end = face.end[d];
        face.begin[d] = side < 0 ? begin - 1 : end;
        face.end[d] = face.begin[d] + 1;
        received.push_back({face, sums});
        face.begin[d] = side < 0 ? end - 1 : begin;
        face.end[d] = face.begin[d] + 1;
        sent.push_back({face, sums});
        from.push_back(part.neighbour(d, side));
        to.push_back(part.neighbour(d, -side));
        tags.push_back((number * grid_dimensions + d) * 2 + (side + 1) / 2);
      }
    }
    copy(field, sent, to, tags, false, sends);
    copy(field, received, from, tags, true, receives);
  }

  void copy(const StoredMemory& field, const std::vector<Face>& faces,
            const std::vector<int>& peers, const std::vector<int>& tags, bool receives,
            std::vector<comm::Message>& messages) {
    if (faces.empty()) return;
    const Index site =
        Index{field.inner ? grid.inner : 1} * sent_words(field) * Index{field.element_bytes};
    Index size = 0;
    for (const Face& face : faces)
      size += face.sites.count() * site;
    buffers.emplace_back(own.device(), Bytes{size}, "the messages of a stored field");
    auto* at = static_cast<char*>(buffers.back().data());
    const bool wide = field.element_bytes == 8;
    (receives ? unpack : pack)
        .push_back(wide ? bind_faces<std::uint64_t>(own, grid, field, faces, at, receives)
                        : bind_faces<std::uint32_t>(own, grid, field, faces, at, receives));
    for (std::size_t i = 0; i < faces.size(); ++i) {
      const Bytes one{faces[i].sites.count() * site};
      messages.push_back({at, one, peers[i], tags[i]});
      at += one.value;
    }
  }

  Queue& work;
  Queue own;
  Order begun, done;
  const StoredPart part;
  const SiteGrid grid;
  comm::Carrier carrier;
  std::vector<Memory> buffers;
  std::vector<Bound> pack, unpack;
  std::unique_ptr<comm::BoundMessages> transfer;
  Index bytes = 0;
};

StoredExchange::StoredExchange(comm::Communicator& ranks, Queue& queue, const StoredPart& part,
                               const SiteGrid& grid, const std::vector<StoredMemory>& fields)
    : state_(std::make_unique<State>(ranks, queue, part, grid, fields)) {}
StoredExchange::~StoredExchange() = default;

void StoredExchange::fork() {
  state_->begun.set(state_->own, state_->work);
}
void StoredExchange::begin() {
  State& s = *state_;
  fork();
  if (!s.transfer) return;
  for (const Bound& copies : s.pack)
    copies.run();
  s.transfer->begin();
}
void StoredExchange::receive() {
  State& s = *state_;
  if (!s.transfer) return;
  s.transfer->finish();
  for (const Bound& copies : s.unpack)
    copies.run();
}
void StoredExchange::join() {
  State& s = *state_;
  s.done.set(s.work, s.own);
}

Queue& StoredExchange::messages_queue() {
  return state_->own;
}
Bytes StoredExchange::sent() const {
  return {state_->bytes};
}
comm::Carrier StoredExchange::carrier() const {
  return state_->carrier;
}

} // namespace ridge::lattice
