#include "moved_bodies.hpp"

#include <ridge/device/offer.hpp>
#include <ridge/spatial/hilbert.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ridge::nbody {

namespace {

/// Room for so many; what a smaller field held is lost.
template <class T>
Span<T> take(Queue& queue, Field<T>& field, Index count, const char* name) {
  if (field.count() < count) {
    queue.wait(); // for what still works in the memory before
    field = {};
    field = Field<T>(queue.device(), Extents{count}, name);
  }
  return {field.data(), count};
}

} // namespace

template <class T>
BodyExchange<T>::BodyExchange(Queue& queue, comm::Communicator& ranks, Domains& domains)
    : queue_(queue), ranks_(ranks), domains_(domains), at_(ranks, queue), sorter_(queue),
      move_(offered<MoveBetweenRanks<T>>(queue.device().kind(), typeid(MovedBodies<T>))) {}

/// Where domains end, by sorted keys on the host. Bodies at one place are told apart by their
/// numbers, which are read where an end is there.
template <class T>
std::vector<Domains::Place> BodyExchange<T>::find_ends() {
  const Index n = call_.count;
  spatial::SortBuffers buffers{
      {keys_[0].data(), keys_[1].data()}, {order_[0].data(), order_[1].data()}, 0, n};
  sorter_.sort(buffers, 0, 3 * spatial::most_levels);
  const auto now = static_cast<std::size_t>(buffers.current);
  const Bytes bytes{n * static_cast<Index>(sizeof(std::uint64_t))};
  if (host_keys_.size().value < bytes.value)
    host_keys_ = Memory(queue_.device(), bytes, "places along the curve", Memory::Place::staging);
  auto* const keys = static_cast<std::uint64_t*>(host_keys_.data());
  copy_to_host(queue_, keys, keys_[now].data(), n);
  queue_.wait();
  std::map<std::uint64_t, std::vector<std::uint32_t>> at_one_place;
  return domains_.ends([&](const Domains::Place& place) {
    const auto [low, high] = std::equal_range(keys, keys + n, place.first);
    if (place.second == std::numeric_limits<std::uint32_t>::max()) return high - keys;
    const auto [at, is_new] = at_one_place.try_emplace(place.first);
    std::vector<std::uint32_t>& bodies = at->second;
    if (is_new && low != high) {
      bodies.resize(static_cast<std::size_t>(high - low));
      copy_to_host(queue_, bodies.data(), order_[now].data() + (low - keys), high - low);
      queue_.wait();
      for (std::uint32_t& body : bodies)
        body = domains_.bodies()[body];
      std::sort(bodies.begin(), bodies.end());
    }
    return (low - keys) +
           (std::upper_bound(bodies.begin(), bodies.end(), place.second) - bodies.begin());
  });
}

template <class T>
void BodyExchange<T>::divide(const Columns& columns, const std::array<T, 3>& low,
                             const std::array<T, 3>& high) {
  const Index n = columns[0]->count();
  call_.count = n;
  for (std::size_t c = 0; c < columns.size(); ++c)
    call_.columns[c] = columns[c]->elements();
  call_.bodies = take(queue_, bodies_, n, "numbers of bodies");
  copy_to_device(queue_, bodies_.data(), domains_.bodies().data(), n);
  call_.cube = domains_.cube({low[0], low[1], low[2]}, {high[0], high[1], high[2]});
  call_.sorted_keys = take(queue_, keys_[0], n, "places along the curve");
  (void)take(queue_, keys_[1], n, "places along the curve");
  call_.keys = take(queue_, keys_[2], n, "places along the curve");
  call_.order = take(queue_, order_[0], n, "order of bodies");
  (void)take(queue_, order_[1], n, "order of bodies");
  step(MovedStep::places);
  const auto ends = find_ends();

  std::vector<std::uint64_t> end_keys;
  std::vector<std::uint32_t> end_bodies;
  for (const auto& [key, body] : ends) {
    end_keys.push_back(key);
    end_bodies.push_back(body);
  }
  const auto count = static_cast<Index>(ends.size());
  call_.end_keys = take(queue_, end_keys_, count, "ends of domains");
  call_.end_bodies = take(queue_, end_bodies_, count, "ends of domains");
  copy_to_device(queue_, end_keys_.data(), end_keys.data(), count);
  copy_to_device(queue_, end_bodies_.data(), end_bodies.data(), count);
  queue_.wait();
  exchange(columns, pack());
}

/// Packs bodies for each domain, one after the other; returns how many.
template <class T>
std::vector<Index> BodyExchange<T>::pack() {
  const Index n = call_.count;
  (void)take(queue_, going_, moved_columns * n, "bodies for other ranks");
  (void)take(queue_, going_bodies_, n, "bodies for other ranks");
  call_.marks = take(queue_, marks_, n + 1, "bodies for other ranks");
  std::vector<Index> sizes;
  Index first = 0;
  for (int domain = 0; domain < ranks_.ranks(); ++domain) {
    call_.domain = domain;
    step(MovedStep::mark);
    sorter_.scan(marks_.data(), n);
    std::uint32_t size = 0;
    copy_to_host(queue_, &size, marks_.data() + n, 1);
    queue_.wait();
    call_.piece = {going_.data() + moved_columns * first, moved_columns * Index{size}};
    call_.piece_bodies = {going_bodies_.data() + first, Index{size}};
    step(MovedStep::pack);
    sizes.push_back(size);
    first += size;
  }
  return sizes;
}

template <class T>
void BodyExchange<T>::exchange(const Columns& columns, const std::vector<Index>& sizes) {
  const int me = ranks_.rank();
  const std::size_t ranks = sizes.size();
  std::vector<Index> all(ranks * ranks);
  ranks_.all_gather(sizes.data(), ranks * sizeof(Index), all.data());
  const auto comes = [&](std::size_t rank) {
    return all[rank * ranks + static_cast<std::size_t>(me)];
  };
  std::vector<Index> out{0}; // where bodies for each rank begin, and from each
  std::vector<Index> in{0};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    out.push_back(out.back() + sizes[rank]);
    in.push_back(in.back() + comes(rank));
  }
  const Index total = in.back();
  (void)take(queue_, coming_, moved_columns * total, "bodies of other ranks");
  (void)take(queue_, coming_bodies_, total, "bodies of other ranks");

  const auto pieces = [](const Field<T>& values, const Field<std::uint32_t>& bodies,
                         const std::vector<Index>& begins, int rank) {
    const Index first = begins[static_cast<std::size_t>(rank)];
    const Index count = begins[static_cast<std::size_t>(rank) + 1] - first;
    return comm::Pieces{
        comm::Piece::of(values.data() + moved_columns * first, moved_columns * count),
        comm::Piece::of(bodies.data() + first, count)};
  };
  const auto going = [&](int rank) { return pieces(going_, going_bodies_, out, rank); };
  const auto coming = [&](int rank) { return pieces(coming_, coming_bodies_, in, rank); };
  for (const std::size_t i : {0, 1})
    copy_bytes_on_device(queue_, coming(me)[i].data, going(me)[i].data, going(me)[i].size);
  comm::Transfer transfer(at_, comm::all_to_all(ranks_, going, coming));
  transfer.run();

  if (total != call_.count) {
    queue_.wait(); // for what packs of them
    for (std::size_t c = 0; c < columns.size(); ++c) {
      *columns[c] = {};
      *columns[c] = Field<T>(queue_.device(), Extents{total}, "bodies of a domain");
      call_.columns[c] = columns[c]->elements();
    }
  }
  call_.bodies = take(queue_, bodies_, total, "numbers of bodies");
  call_.first = 0;
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    call_.piece = {coming_.data() + moved_columns * call_.first, moved_columns * comes(peer)};
    call_.piece_bodies = {coming_bodies_.data() + call_.first, comes(peer)};
    step(MovedStep::unpack);
    call_.first += comes(peer);
  }
  std::vector<std::uint32_t> bodies(static_cast<std::size_t>(total));
  copy_to_host(queue_, bodies.data(), bodies_.data(), total);
  queue_.wait();
  domains_.set(std::move(bodies));
}

template <class T>
Bytes BodyExchange<T>::held() const {
  const auto of = [](const auto& field) {
    return field.count() * static_cast<Index>(sizeof(*field.data()));
  };
  Index sum = sorter_.held().value + of(bodies_) + of(end_bodies_) + of(marks_) +
              of(going_bodies_) + of(coming_bodies_) + of(going_) + of(coming_) + of(end_keys_);
  for (const auto& field : keys_)
    sum += of(field);
  for (const auto& field : order_)
    sum += of(field);
  return Bytes{sum};
}

template class BodyExchange<float>;
template class BodyExchange<double>;

} // namespace ridge::nbody
