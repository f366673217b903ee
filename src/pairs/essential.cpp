#include <ridge/device/offer.hpp>
#include <ridge/pairs/essential.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <queue>
#include <utility>

namespace ridge::pairs {

namespace {

/// Room for so many elements; what a smaller field held is lost.
template <class T>
void take_room(Queue& queue, Field<T>& field, Index count, const char* name) {
  if (field.count() >= count) return;
  queue.wait(); // for what still works in the memory before
  field = {};
  field = Field<T>(queue.device(), Extents{count + count / 8}, name);
}

template <class T>
Bytes size_of(Index count) {
  return Bytes{count * static_cast<Index>(sizeof(T))};
}

/// As essential::Box.
template <class S>
struct HostBox {
  std::array<S, box_values> values;

  static HostBox none() {
    constexpr S most = std::numeric_limits<S>::max();
    return {{most, most, most, 0, -most, -most, -most, 0}};
  }
  [[nodiscard]] bool is_empty() const { return values[0] > values[4]; }
  void widen(const HostBox& other) {
    for (std::size_t c = 0; c < 3; ++c) {
      values[c] = std::min(values[c], other.values[c]);
      values[4 + c] = std::max(values[4 + c], other.values[4 + c]);
    }
    values[7] = std::max(values[7], other.values[7]);
  }
  [[nodiscard]] double width() const {
    double squared = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double extent = static_cast<double>(values[4 + c]) - static_cast<double>(values[c]);
      squared += extent * extent;
    }
    return squared;
  }
};

/// Boxes of bodies that lie along the curve as those of runs do: the box of all, and the widest
/// divided in two for as long as there may be more.
template <class S>
std::vector<S> widest_divided(const std::vector<S>& of_runs) {
  const std::size_t runs = of_runs.size() / box_values;
  // A binary tree of boxes: those of runs are its last level, node k has the children 2 k, 2 k + 1.
  const auto leaves = std::bit_ceil(runs);
  std::vector<HostBox<S>> boxes(2 * leaves, HostBox<S>::none());
  for (std::size_t r = 0; r < runs; ++r)
    std::copy_n(of_runs.begin() + static_cast<std::ptrdiff_t>(box_values * r), box_values,
                boxes[leaves + r].values.begin());
  for (std::size_t k = leaves; k-- > 1;) {
    boxes[k].widen(boxes[2 * k]);
    boxes[k].widen(boxes[2 * k + 1]);
  }
  std::priority_queue<std::pair<double, std::size_t>> widest;
  std::vector<std::size_t> chosen;
  const auto take = [&](std::size_t k) {
    if (boxes[k].is_empty()) return;
    if (k >= leaves) {
      chosen.push_back(k);
    } else {
      widest.emplace(boxes[k].width(), k);
    }
  };
  take(1);
  while (!widest.empty() && chosen.size() + widest.size() < most_boxes) {
    const std::size_t k = widest.top().second;
    widest.pop();
    take(2 * k);
    take(2 * k + 1);
  }
  for (; !widest.empty(); widest.pop())
    chosen.push_back(widest.top().second);
  // Along the curve: by their first runs.
  const auto first_run = [&](std::size_t k) {
    while (k < leaves)
      k *= 2;
    return k;
  };
  std::sort(chosen.begin(), chosen.end(),
            [&](std::size_t a, std::size_t b) { return first_run(a) < first_run(b); });
  std::vector<S> values;
  for (const std::size_t k : chosen)
    values.insert(values.end(), boxes[k].values.begin(), boxes[k].values.end());
  return values;
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
    : queue_(queue), ranks_(ranks), carrier_(comm::choose_carrier(ranks, queue.device())),
      sorter_(queue),
      find_(offered<FindEssentials<P>>(queue.device().kind(), typeid(Essentials<P>))),
      pieces_(static_cast<std::size_t>(ranks.ranks())) {}

template <class P>
std::vector<typename P::Stored> Essential<P>::find_boxes() {
  constexpr Index most_runs = 262144;
  constexpr Index least_bodies = 1;
  const Index n = call_.walk.tree.count;
  call_.bodies_of_run = std::max(least_bodies, ceil_div(n, most_runs));
  const Index runs = ceil_div(n, call_.bodies_of_run);
  take_room(queue_, runs_, box_values * runs, "boxes of bodies");
  call_.runs = {runs_.data(), box_values * runs};
  step(EssentialStep::runs, 0, 0);
  std::vector<S> of_runs(static_cast<std::size_t>(box_values * runs));
  copy_to_host(queue_, of_runs.data(), runs_.data(), box_values * runs);
  queue_.wait();
  return widest_divided(of_runs);
}

/// Of another rank, onto the device.
template <class P>
void Essential<P>::take_boxes(const std::vector<S>& boxes) {
  const auto count = static_cast<Index>(boxes.size());
  std::vector<S> all = boxes;
  for (std::size_t first = 0; first < boxes.size(); first += boxes_together * box_values) {
    auto wide = HostBox<S>::none();
    for (std::size_t at = first; at < std::min(boxes.size(), first + boxes_together * box_values);
         at += box_values) {
      HostBox<S> one;
      std::copy_n(boxes.begin() + static_cast<std::ptrdiff_t>(at), box_values, one.values.begin());
      wide.widen(one);
    }
    all.insert(all.end(), wide.values.begin(), wide.values.end());
  }
  take_room(queue_, boxes_, static_cast<Index>(all.size()), "boxes of ranks");
  copy_to_device(queue_, boxes_.data(), all.data(), static_cast<Index>(all.size()));
  queue_.wait();
  call_.boxes = {boxes_.data(), count};
  call_.wide_boxes = {boxes_.data() + count, static_cast<Index>(all.size()) - count};
}

/// Packs what rank `peer`, whose boxes are in place, needs of the own tree.
template <class P>
void Essential<P>::cut(int peer, const std::vector<Index>& levels) {
  Piece& piece = pieces_[static_cast<std::size_t>(peer)];
  const Index nodes = call_.walk.tree.nodes;
  take_room(queue_, uses_, nodes, "uses of nodes");
  take_room(queue_, numbers_, nodes + 1, "numbers of nodes");
  take_room(queue_, places_, nodes + 1, "places of bodies");
  call_.uses = uses_.elements();
  call_.numbers = numbers_.elements();
  call_.places = places_.elements();
  step(EssentialStep::begin, 0, 0);
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    step(EssentialStep::mark, levels[l], levels[l + 1]);
  sorter_.scan(numbers_.data(), nodes);
  sorter_.scan(places_.data(), nodes);
  std::uint32_t kept = 0;
  std::uint32_t bodies = 0;
  copy_to_host(queue_, &kept, numbers_.data() + nodes, 1);
  copy_to_host(queue_, &bodies, places_.data() + nodes, 1);
  queue_.wait();
  piece.nodes = kept;
  piece.members = bodies;
  take_room(queue_, piece.centres, 4 * piece.nodes, "nodes for another rank");
  take_room(queue_, piece.moments, 8 * piece.nodes, "nodes for another rank");
  take_room(queue_, piece.links, 2 * piece.nodes, "nodes for another rank");
  take_room(queue_, piece.bodies, std::max<Index>(4 * piece.members, 4), "bodies for another rank");
  call_.centres = piece.centres.elements();
  call_.moments = piece.moments.elements();
  call_.higher = {};
  if (highers() > 0) {
    take_room(queue_, piece.higher, highers() * piece.nodes, "nodes for another rank");
    call_.higher = piece.higher.elements();
  }
  call_.links = piece.links.elements();
  call_.bodies = piece.bodies.elements();
  step(EssentialStep::pack, 0, 0);
}

template <class P>
void Essential<P>::place_own(Index first_node) {
  const auto& own = call_.walk.tree;
  copy_bytes_on_device(queue_, bodies_.data(), own.sorted.data, size_of<S>(4 * own.count));
  copy_bytes_on_device(queue_, centres_.data() + 4 * first_node, own.centres.data,
                       size_of<S>(4 * own.nodes));
  copy_bytes_on_device(queue_, moments_.data() + 8 * first_node, own.moments.data,
                       size_of<T>(8 * own.nodes));
  if (highers() > 0)
    copy_bytes_on_device(queue_, higher_.data() + highers() * first_node, own.higher.data,
                         size_of<T>(highers() * own.nodes));
  call_.links_from = own.links;
  call_.links = {links_.data() + 2 * first_node, 2 * own.nodes};
  call_.first_node = static_cast<std::uint32_t>(first_node);
  call_.first_body = 0;
  step(EssentialStep::rebase, 0, own.nodes);
}

/// From the first node of all down to copies of the pieces' roots, which so lie together.
template <class P>
void Essential<P>::set_tops(const std::vector<std::uint32_t>& roots) {
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
  for (const std::uint32_t root : roots) {
    tops.push_back(root);
    tops.push_back(copied_node);
  }
  const auto count = static_cast<Index>(tops.size());
  take_room(queue_, tops_, count, "nodes above all ranks");
  copy_to_device(queue_, tops_.data(), tops.data(), count);
  queue_.wait();
  call_.tops = {tops_.data(), count};
  call_.centres = centres_.elements();
  call_.moments = moments_.elements();
  call_.higher = highers() > 0 ? higher_.elements() : Span<T>();
  call_.links = links_.elements();
  step(EssentialStep::tops, 0, 0);
}

template <class P>
const spatial::Build<typename P::Stored, typename P::Computed>&
Essential<P>::merge(const TreeWalk<P>& walk, const std::vector<Index>& levels) {
  call_.walk = walk;
  const int ranks = ranks_.ranks();
  const int me = ranks_.rank();
  std::vector<S> boxes = find_boxes();
  const auto box_counts = ranks_.gather(boxes.size());
  boxes.resize(box_values * most_boxes + box_values);
  std::vector<S> all(boxes.size() * box_counts.size());
  ranks_.all_gather(boxes.data(), boxes.size() * sizeof(S), all.data());

  // What goes to each rank, nodes and bodies.
  std::vector<Index> sizes(static_cast<std::size_t>(2 * ranks));
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == me) continue;
    const auto p = static_cast<std::size_t>(peer);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(p * boxes.size());
    take_boxes({first, first + static_cast<std::ptrdiff_t>(box_counts[p])});
    cut(peer, levels);
    sizes[2 * p] = pieces_[p].nodes;
    sizes[2 * p + 1] = pieces_[p].members;
  }
  std::vector<Index> all_sizes(sizes.size() * static_cast<std::size_t>(ranks));
  ranks_.all_gather(sizes.data(), sizes.size() * sizeof(Index), all_sizes.data());
  const auto comes = [&](int peer, int what) {
    return all_sizes[static_cast<std::size_t>(2 * ranks * peer + 2 * me + what)];
  };

  const auto& own = walk.tree;
  Index nodes = tops_above(ranks) + own.nodes;
  Index bodies = own.count;
  counts_ = {};
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == me) continue;
    counts_.nodes += comes(peer, 0);
    counts_.bodies += comes(peer, 1);
  }
  take_room(queue_, centres_, 4 * (nodes + counts_.nodes), "nodes of all ranks");
  take_room(queue_, moments_, 8 * (nodes + counts_.nodes), "nodes of all ranks");
  if (highers() > 0)
    take_room(queue_, higher_, highers() * (nodes + counts_.nodes), "nodes of all ranks");
  take_room(queue_, links_, 2 * (nodes + counts_.nodes), "nodes of all ranks");
  take_room(queue_, bodies_, 4 * (bodies + counts_.bodies), "bodies of all ranks");

  std::vector<std::uint32_t> roots{static_cast<std::uint32_t>(tops_above(ranks))};
  place_own(tops_above(ranks));
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  struct Arrival {
    Index first_node, first_body, nodes;
  };
  std::vector<Arrival> arrivals;
  const auto add = [](std::vector<comm::Message>& to, auto* data, Index count, int peer, int tag) {
    const Bytes bytes{count * static_cast<Index>(sizeof(*data))};
    if (count > 0) to.push_back({data, bytes, peer, tag});
  };
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == me) continue;
    Piece& piece = pieces_[static_cast<std::size_t>(peer)];
    add(sends, piece.centres.data(), 4 * piece.nodes, peer, 0);
    add(sends, piece.moments.data(), 8 * piece.nodes, peer, 1);
    add(sends, piece.links.data(), 2 * piece.nodes, peer, 2);
    add(sends, piece.bodies.data(), 4 * piece.members, peer, 3);
    if (const Index numbers = highers(); numbers > 0) {
      add(sends, piece.higher.data(), numbers * piece.nodes, peer, 4);
      add(receives, higher_.data() + numbers * nodes, numbers * comes(peer, 0), peer, 4);
    }
    add(receives, centres_.data() + 4 * nodes, 4 * comes(peer, 0), peer, 0);
    add(receives, moments_.data() + 8 * nodes, 8 * comes(peer, 0), peer, 1);
    add(receives, links_.data() + 2 * nodes, 2 * comes(peer, 0), peer, 2);
    add(receives, bodies_.data() + 4 * bodies, 4 * comes(peer, 1), peer, 3);
    roots.push_back(static_cast<std::uint32_t>(nodes));
    arrivals.push_back({nodes, bodies, comes(peer, 0)});
    nodes += comes(peer, 0);
    bodies += comes(peer, 1);
  }
  const auto transfer =
      comm::bind_on_device(ranks_, queue_, carrier_, std::move(sends), std::move(receives));
  transfer->begin();
  transfer->finish();
  for (const Arrival& a : arrivals) {
    call_.links = {links_.data() + 2 * a.first_node, 2 * a.nodes};
    call_.links_from = call_.links;
    call_.first_node = static_cast<std::uint32_t>(a.first_node);
    call_.first_body = static_cast<std::uint32_t>(a.first_body);
    step(EssentialStep::rebase, 0, a.nodes);
  }
  set_tops(roots);
  queue_.wait();

  whole_ = own;
  whole_.nodes = nodes;
  whole_.sorted = bodies_.elements();
  whole_.centres = centres_.elements();
  whole_.moments = moments_.elements();
  whole_.higher = call_.higher;
  whole_.links = links_.elements();
  return whole_;
}

template <class P>
Bytes Essential<P>::held() const {
  const auto of = [](const auto& field) {
    return field.count() * static_cast<Index>(sizeof(*field.data()));
  };
  Index sum = sorter_.held().value + of(runs_) + of(boxes_) + of(centres_) + of(bodies_) +
              of(moments_) + of(higher_) + of(uses_) + of(numbers_) + of(places_) + of(links_) +
              of(tops_);
  for (const Piece& piece : pieces_)
    sum += of(piece.centres) + of(piece.bodies) + of(piece.moments) + of(piece.higher) +
           of(piece.links);
  return Bytes{sum};
}

template class Essential<Fp32>;
template class Essential<Fp64>;
template class Essential<Mixed>;

} // namespace ridge::pairs
