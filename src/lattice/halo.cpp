#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/order.hpp>
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

Bound bind_copies(Queue& queue, const FieldReach& field, const std::vector<SiteBox>& boxes,
                  void* buffer, bool to_field) {
  if (field.shape.number_bytes() % 8 == 0)
    return bind_words<std::uint64_t>(queue, field, boxes, buffer, to_field);
  return bind_words<std::uint32_t>(queue, field, boxes, buffer, to_field);
}

} // namespace

void detail::check_rank(const RankLattice& part, const comm::Communicator& ranks) {
  if (part.ranks().count() == ranks.ranks() && part.rank() == ranks.rank()) return;
  throw UsageError(fmt::format("the part of rank {} of a grid of {} ranks, on rank {} of {}",
                               part.rank(), ridge::to_text(part.ranks()), ranks.rank(),
                               ranks.ranks()));
}

struct HaloExchange::State {
  /// Messages that travel together.
  struct Phase {
    std::vector<Bound> pack, unpack;
    std::unique_ptr<comm::BoundMessages> transfer;
    std::vector<comm::Message> sends, receives; ///< until they are bound
  };

  State(comm::Communicator& ranks, Queue& compute, const RankLattice& lattice,
        const std::vector<FieldReach>& fields)
      : work(compute), own(urgent_queue(compute.device())), begun(compute.device()),
        done(compute.device()), part(lattice),
        carrier(comm::choose_carrier(ranks, compute.device())) {
    detail::check_rank(part, ranks);
    const int dimensions = part.whole().rank();
    phases.resize(static_cast<std::size_t>(dimensions));
    int number = 0;
    for (const FieldReach& field : fields) {
      check(field);
      for (int d = 0; d < dimensions; ++d) {
        if (!part.divided(d)) continue;
        add(field, number, d, phases[static_cast<std::size_t>(field.diagonal ? d : 0)]);
      }
      ++number;
    }
    for (Phase& phase : phases) {
      for (const comm::Message& m : phase.sends)
        bytes += m.size.value;
      messages += static_cast<int>(phase.sends.size());
    }
    std::erase_if(phases, [](const Phase& phase) { return phase.sends.empty(); }); // on all ranks
    for (Phase& phase : phases) {
      phase.transfer = comm::bind_on_device(ranks, own, carrier, std::move(phase.sends),
                                            std::move(phase.receives));
    }
  }

  void check(const FieldReach& field) const {
    detail::check_held(part, field.geometry);
    for (int d = 0; d < part.whole().rank(); ++d) {
      const int far = std::max(field.below[d], field.above[d]);
      if (!part.divided(d) || far <= part.depth()) continue;
      throw UsageError(fmt::format("a field is read {} sites away along dimension {}, and this "
                                   "lattice over ranks has halos of {}: make it with a depth of {}",
                                   far, d, part.depth(), far));
    }
  }

  /// Faces along dimension d: what is read above a site comes from the rank above, whose lowest
  /// sites it are.
  void add(const FieldReach& field, int number, int d, Phase& phase) {
    std::vector<SiteBox> sent, received;
    std::vector<int> to, from, tags;
    for (const int side : {-1, 1}) {
      const int depth = side < 0 ? field.below[d] : field.above[d];
      if (depth == 0) continue;
      SiteBox face = part.owned();
      if (field.diagonal) { // with what dimensions before this one have brought
        for (int k = 0; k < d; ++k) {
          if (!part.divided(k)) continue;
          face.begin[k] -= field.below[k];
          face.end[k] += field.above[k];
        }
      }
      const int begin = face.begin[d];
      const int end = face.end[d];
      face.begin[d] = side < 0 ? begin - depth : end;
      face.end[d] = face.begin[d] + depth;
      received.push_back(face);
      face.begin[d] = side < 0 ? end - depth : begin;
      face.end[d] = face.begin[d] + depth;
      sent.push_back(face);
      from.push_back(part.neighbour(d, side));
      to.push_back(part.neighbour(d, -side));
      tags.push_back((number * max_rank + d) * 2 + (side + 1) / 2);
    }
    copy(field, sent, to, tags, false, phase);
    copy(field, received, from, tags, true, phase);
  }

  void copy(const FieldReach& field, const std::vector<SiteBox>& boxes,
            const std::vector<int>& peers, const std::vector<int>& tags, bool receives,
            Phase& phase) {
    if (boxes.empty()) return;
    Index size = 0;
    for (const SiteBox& box : boxes)
      size += box.count() * field.shape.site_bytes();
    buffers.emplace_back(own.device(), Bytes{size}, "the messages of a halo");
    auto* at = static_cast<char*>(buffers.back().data());
    auto& messages_of = receives ? phase.receives : phase.sends;
    (receives ? phase.unpack : phase.pack).push_back(bind_copies(own, field, boxes, at, receives));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Bytes one{boxes[i].count() * field.shape.site_bytes()};
      messages_of.push_back({at, one, peers[i], tags[i]});
      at += one.value;
    }
  }

  static void begin(const Phase& phase) {
    for (const Bound& copies : phase.pack)
      copies.run();
    phase.transfer->begin();
  }
  static void finish(const Phase& phase) {
    phase.transfer->finish();
    for (const Bound& copies : phase.unpack)
      copies.run();
  }

  Queue& work;
  Queue own;
  Order begun, done;
  const RankLattice part;
  comm::Carrier carrier;
  std::vector<Memory> buffers;
  std::vector<Phase> phases;
  Index bytes = 0;
  int messages = 0;
};

HaloExchange::HaloExchange(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                           const std::vector<FieldReach>& fields)
    : state_(std::make_unique<State>(ranks, queue, part, fields)) {}
HaloExchange::~HaloExchange() = default;

void HaloExchange::begin() {
  State& s = *state_;
  if (s.phases.empty()) return;
  s.begun.set(s.own, s.work);
  for (std::size_t i = 0; i + 1 < s.phases.size(); ++i) {
    s.begin(s.phases[i]);
    s.finish(s.phases[i]);
  }
  s.begin(s.phases.back());
}
void HaloExchange::finish() {
  State& s = *state_;
  if (s.phases.empty()) return;
  s.finish(s.phases.back());
  s.done.set(s.work, s.own);
}

Bytes HaloExchange::sent() const {
  return {state_->bytes};
}
int HaloExchange::messages() const {
  return state_->messages;
}
comm::Carrier HaloExchange::carrier() const {
  return state_->carrier;
}

} // namespace ridge::lattice
