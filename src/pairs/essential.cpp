#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/essential.hpp>

#include <algorithm>
#include <utility>

namespace ridge::pairs {

namespace {

/// Room for so many elements; what a smaller field held is lost.
template <class T>
void take(Queue& queue, Field<T>& field, Index count, const char* name) {
  if (field.count() >= count) return;
  queue.wait(); // for what still works in the memory before
  field = {};
  field = Field<T>(queue.device(), Extents{count}, name);
}

/// So that sizes that change a little from one update to the next need no other memory.
Index with_spare(Index count) {
  return count + count / 8;
}

/// Room for so many elements, of which the first `used` stay.
template <class T>
void grow(Queue& queue, Field<T>& field, Index count, Index used, const char* name) {
  if (field.count() >= count) return;
  Field<T> more(queue.device(), Extents{count}, name);
  copy_bytes_on_device(queue, more.data(), field.data(),
                       Bytes{used * static_cast<Index>(sizeof(T))});
  queue.wait();
  field = std::move(more);
}

template <class T>
Bytes size_of(Index count) {
  return Bytes{count * static_cast<Index>(sizeof(T))};
}

/// Nodes above `pieces` roots: eight children at most, the first node above all.
Index tops_above(Index pieces) {
  Index all = pieces;
  while (pieces > 1) {
    pieces = ceil_div(pieces, Index{8});
    all += pieces;
  }
  return all;
}

} // namespace

template <class P>
Essential<P>::Essential(Queue& queue, comm::Communicator& ranks)
    : queue_(queue), ranks_(ranks), at_(ranks, queue),
      is_gpu_(facts_of(queue.device()).takes_gpu_schedules), sorter_(queue), chooser_(queue),
      find_(offered<FindEssentials<P>>(queue.device().kind(), typeid(Essentials<P>))),
      pieces_(static_cast<std::size_t>(ranks.ranks())) {
  const Index all = ranks.ranks();
  blocks_ = Field<S>(queue.device(), Extents{all * block_values}, "boxes of ranks");
  wide_boxes_ =
      Field<S>(queue.device(), Extents{all * most_wide_boxes * box_values}, "boxes of ranks");
  fill_bytes(queue, blocks_.data(), 0, size_of<S>(blocks_.count()));
  const auto block_of = [&](int rank) -> comm::Pieces {
    return {comm::Piece::of(blocks_.data() + rank * block_values, block_values)};
  };
  boxes_transfer_ = comm::Transfer(at_, comm::to_all(ranks, block_of));
}

/// Where the bodies of each rank are.
template <class P>
void Essential<P>::exchange_boxes(const std::function<void(const char*)>& begins_phase) {
  begins_phase("exchange");
  constexpr Index most_runs = 262144;
  constexpr Index least_bodies = 1;
  const Index n = call_.walk.tree.count;
  call_.bodies_of_run = std::max(least_bodies, ceil_div(n, most_runs));
  call_.runs = chooser_.take_runs(ceil_div(n, call_.bodies_of_run));
  step(EssentialStep::runs, 0, 0);
  chooser_.choose(most_boxes, {blocks_.data() + ranks_.rank() * block_values, block_values});
  begins_phase("wait");
  boxes_transfer_.run();
  begins_phase("exchange");
  chooser_.widen(std::as_const(blocks_).elements(), wide_boxes_.elements());
}

template <class P>
typename Essential<P>::Sizes Essential<P>::cut_for_all(const std::vector<Index>& levels) {
  const int ranks = ranks_.ranks();
  const int me = ranks_.rank();
  const auto& own = call_.walk.tree;
  std::vector<Index> mine;
  for (int peer = 0; peer < ranks; ++peer) {
    const Piece& piece = pieces_[static_cast<std::size_t>(peer)];
    if (peer != me) cut(peer, levels);
    mine.push_back(peer == me ? own.nodes : piece.nodes);
    mine.push_back(peer == me ? own.count : piece.members);
  }
  Sizes sizes{std::vector<Index>(mine.size() * static_cast<std::size_t>(ranks)), ranks};
  ranks_.all_gather(mine.data(), mine.size() * sizeof(Index), sizes.of_all.data());
  return sizes;
}

/// Packs what rank `peer` needs of the own tree.
template <class P>
void Essential<P>::cut(int peer, const std::vector<Index>& levels) {
  Piece& piece = pieces_[static_cast<std::size_t>(peer)];
  const Index nodes = call_.walk.tree.nodes;
  constexpr Index wide_values = most_wide_boxes * box_values;
  call_.boxes = {blocks_.data() + peer * block_values, block_values};
  call_.wide_boxes = {wide_boxes_.data() + peer * wide_values, wide_values};
  take(queue_, uses_, with_spare(nodes), "uses of nodes");
  take(queue_, numbers_, with_spare(nodes) + 1, "numbers of nodes");
  take(queue_, places_, with_spare(nodes) + 1, "places of bodies");
  call_.uses = uses_.elements();
  call_.numbers = numbers_.elements();
  call_.places = places_.elements();
  step(EssentialStep::begin, 0, 0);
  if (is_gpu_) {
    take(queue_, far_, with_spare(nodes), "uses of nodes");
    call_.far = far_.elements();
    step(EssentialStep::look, 0, 0);
  }
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    step(EssentialStep::mark, levels[l], levels[l + 1]);
  sorter_.scan(numbers_.data(), nodes);
  sorter_.scan(places_.data(), nodes);
  std::uint32_t kept = 0;
  std::uint32_t bodies = 0;
  copy_to_host(queue_, &kept, numbers_.data() + nodes, 1);
  copy_to_host(queue_, &bodies, places_.data() + nodes, 1);
  queue_.wait();
  take_rooms_of(piece, kept, bodies);
  piece.nodes = kept;
  piece.members = bodies;
  call_.centres = piece.centres.elements();
  call_.moments = piece.moments.elements();
  call_.higher = piece.higher.elements();
  call_.links = piece.links.elements();
  call_.bodies = piece.bodies.elements();
  step(EssentialStep::pack, 0, 0);
}

/// Packed pieces stay.
template <class P>
void Essential<P>::take_rooms_of(Piece& piece, Index nodes, Index bodies) {
  const char* const name = "nodes for another rank";
  grow(queue_, piece.centres, 4 * nodes, 4 * piece.nodes, name);
  grow(queue_, piece.moments, 8 * nodes, 8 * piece.nodes, name);
  if (piece.higher.count() < highers() * nodes) { // of another order perhaps
    const Index used = std::min(highers() * piece.nodes, piece.higher.count());
    grow(queue_, piece.higher, highers() * nodes, used, name);
  }
  grow(queue_, piece.links, 2 * nodes, 2 * piece.nodes, name);
  grow(queue_, piece.bodies, 4 * std::max<Index>(bodies, 1), 4 * piece.members,
       "bodies for another rank");
}

template <class P>
bool Essential<P>::has_room(const Sizes& sizes) const {
  if (!transfer_ || room_highers_ != highers()) return false;
  return std::equal(sizes.of_all.begin(), sizes.of_all.end(), room_.of_all.begin(),
                    [&](Index size, Index room) { return is_gpu_ ? size <= room : size == room; });
}

template <class P>
std::vector<typename Essential<P>::Begin> Essential<P>::begins() const {
  const int me = ranks_.rank();
  std::vector<Begin> begins(static_cast<std::size_t>(ranks_.ranks()));
  Begin next{tops_above(ranks_.ranks()), 0};
  const auto place = [&](int rank) {
    begins[static_cast<std::size_t>(rank)] = next;
    next.node += room_.nodes(rank, me);
    next.body += room_.bodies(rank, me);
  };
  place(me);
  for (int rank = 0; rank < ranks_.ranks(); ++rank)
    if (rank != me) place(rank);
  begins.push_back(next);
  return begins;
}

/// All ranks know all sizes, so they agree on the room of each message.
template <class P>
void Essential<P>::take_room(const Sizes& sizes) {
  transfer_ = {};
  ranks_.barrier(); // nobody reaches memory of others any more
  room_ = sizes;
  room_highers_ = highers();
  if (is_gpu_) {
    for (Index& size : room_.of_all)
      size = with_spare(size);
  }
  const Begin end = begins().back();
  take(queue_, all_.centres, 4 * end.node, "nodes of all ranks");
  take(queue_, all_.moments, 8 * end.node, "nodes of all ranks");
  take(queue_, all_.higher, highers() * end.node, "nodes of all ranks");
  take(queue_, all_.links, 2 * end.node, "nodes of all ranks");
  take(queue_, all_.bodies, 4 * end.body, "bodies of all ranks");
  const int me = ranks_.rank();
  for (int peer = 0; peer < ranks_.ranks(); ++peer) {
    if (peer != me)
      take_rooms_of(pieces_[static_cast<std::size_t>(peer)], room_.nodes(me, peer),
                    room_.bodies(me, peer));
  }
}

template <class P>
void Essential<P>::bind() {
  const int me = ranks_.rank();
  const auto at = begins();
  const auto pieces = [&](const auto& of, const Begin& first, Index nodes, Index bodies) {
    return comm::Pieces{
        comm::Piece::of(of.centres.data() + 4 * first.node, 4 * nodes),
        comm::Piece::of(of.moments.data() + 8 * first.node, 8 * nodes),
        comm::Piece::of(of.links.data() + 2 * first.node, 2 * nodes),
        comm::Piece::of(of.bodies.data() + 4 * first.body, 4 * bodies),
        comm::Piece::of(of.higher.data() + highers() * first.node, highers() * nodes)};
  };
  const auto out = [&](int peer) {
    const Piece& piece = pieces_[static_cast<std::size_t>(peer)];
    return pieces(piece, {0, 0}, room_.nodes(me, peer), room_.bodies(me, peer));
  };
  const auto in = [&](int peer) {
    const Begin& here = at[static_cast<std::size_t>(peer)];
    return pieces(all_, here, room_.nodes(peer, me), room_.bodies(peer, me));
  };
  transfer_ = comm::Transfer(at_, comm::all_to_all(ranks_, out, in));
  set_tops();
}

/// From the first node of all down to copies of the pieces' roots, which so lie together.
template <class P>
void Essential<P>::set_tops() {
  const auto at = begins();
  std::vector<Index> roots{at[static_cast<std::size_t>(ranks_.rank())].node};
  for (int peer = 0; peer < ranks_.ranks(); ++peer)
    if (peer != ranks_.rank()) roots.push_back(at[static_cast<std::size_t>(peer)].node);
  std::vector<Index> widths{static_cast<Index>(roots.size())}; // of levels, the last first
  while (widths.back() > 1)
    widths.push_back(ceil_div(widths.back(), Index{8}));
  std::vector<std::uint32_t> tops;
  for (std::size_t level = widths.size(); level-- > 1;) {
    const auto next = static_cast<Index>(tops.size() / 2) + widths[level];
    for (Index k = 0; k < widths[level]; ++k) {
      tops.push_back(static_cast<std::uint32_t>(next + 8 * k));
      tops.push_back(static_cast<std::uint32_t>(std::min<Index>(8, widths[level - 1] - 8 * k)));
    }
  }
  for (const Index root : roots) {
    tops.push_back(static_cast<std::uint32_t>(root));
    tops.push_back(copied_node);
  }
  const auto count = static_cast<Index>(tops.size());
  take(queue_, tops_, count, "nodes above all ranks");
  copy_to_device(queue_, tops_.data(), tops.data(), count);
  queue_.wait();
  call_.tops = {tops_.data(), count};
}

template <class P>
void Essential<P>::place_own() {
  const auto& own = call_.walk.tree;
  const Index first = begins()[static_cast<std::size_t>(ranks_.rank())].node;
  copy_bytes_on_device(queue_, all_.bodies.data(), own.sorted.data, size_of<S>(4 * own.count));
  copy_bytes_on_device(queue_, all_.centres.data() + 4 * first, own.centres.data,
                       size_of<S>(4 * own.nodes));
  copy_bytes_on_device(queue_, all_.moments.data() + 8 * first, own.moments.data,
                       size_of<T>(8 * own.nodes));
  if (highers() > 0)
    copy_bytes_on_device(queue_, all_.higher.data() + highers() * first, own.higher.data,
                         size_of<T>(highers() * own.nodes));
  call_.links_from = own.links;
  call_.links = {all_.links.data() + 2 * first, 2 * own.nodes};
  call_.first_node = static_cast<std::uint32_t>(first);
  call_.first_body = 0;
  step(EssentialStep::rebase, 0, own.nodes);
}

template <class P>
void Essential<P>::place_arrivals(const Sizes& sizes) {
  const int me = ranks_.rank();
  const auto at = begins();
  counts_ = {};
  for (int peer = 0; peer < ranks_.ranks(); ++peer) {
    if (peer == me) continue;
    const Begin& here = at[static_cast<std::size_t>(peer)];
    const Index nodes = sizes.nodes(peer, me);
    counts_.nodes += nodes;
    counts_.bodies += sizes.bodies(peer, me);
    call_.links = {all_.links.data() + 2 * here.node, 2 * nodes};
    call_.links_from = call_.links;
    call_.first_node = static_cast<std::uint32_t>(here.node);
    call_.first_body = static_cast<std::uint32_t>(here.body);
    step(EssentialStep::rebase, 0, nodes);
  }
}

template <class P>
const spatial::Build<typename P::Stored, typename P::Computed>&
Essential<P>::merge(const TreeWalk<P>& walk, const std::vector<Index>& levels,
                    const std::function<void(const char*)>& begins_phase) {
  call_.walk = walk;
  exchange_boxes(begins_phase);
  const Sizes sizes = cut_for_all(levels);
  if (!has_room(sizes)) {
    take_room(sizes);
    bind();
  }
  place_own();
  transfer_.run();
  place_arrivals(sizes);
  call_.centres = all_.centres.elements();
  call_.moments = all_.moments.elements();
  call_.higher = highers() > 0 ? all_.higher.elements() : Span<T>();
  call_.links = all_.links.elements();
  step(EssentialStep::tops, 0, 0);

  whole_ = walk.tree;
  whole_.nodes = begins().back().node;
  whole_.sorted = all_.bodies.elements();
  whole_.centres = all_.centres.elements();
  whole_.moments = all_.moments.elements();
  whole_.higher = call_.higher;
  whole_.links = all_.links.elements();
  return whole_;
}

template <class P>
Bytes Essential<P>::held() const {
  const auto of = [](const auto& field) {
    return field.count() * static_cast<Index>(sizeof(*field.data()));
  };
  const auto of_piece = [&](const Piece& p) {
    return of(p.centres) + of(p.bodies) + of(p.moments) + of(p.higher) + of(p.links);
  };
  Index sum = sorter_.held().value + chooser_.held().value + of(blocks_) + of(wide_boxes_) +
              of(far_) + of(uses_) + of(numbers_) + of(places_) + of(tops_) + of_piece(all_);
  for (const Piece& piece : pieces_)
    sum += of_piece(piece);
  return Bytes{sum};
}

template class Essential<Fp32>;
template class Essential<Fp64>;
template class Essential<Mixed>;

} // namespace ridge::pairs
