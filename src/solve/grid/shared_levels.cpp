#include "shared_levels.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::solve::detail {

namespace {

/// Planes that a rank must own of a shared level: as many as it gives its neighbours.
constexpr Index fewest_owned = 2 * least_halo;

/// The time of an exchange between GPUs, as measured between H100s of one machine: to begin, and for
/// a byte.
struct ExchangeTime {
  double latency, byte;
};
ExchangeTime exchange_time(comm::Carrier carrier) {
  if (carrier == comm::Carrier::peer) return {9e-6, 1 / 300e9};
  if (carrier == comm::Carrier::nccl) return {8e-6, 1 / 160e9};
  return {40e-6, 1 / 3.3e9};
}
/// Below this a processor has a level's points sooner than its messages.
constexpr Index few_points = 4096;
/// A small level's launches take a GPU so long for a point, beside what they take for none.
constexpr double multiprocessor_seconds_a_point = 80e-12 * 132;

Slabs checked(Slabs slabs) {
  if (slabs.fewest() < fewest_owned)
    throw UsageError(fmt::format(
        "{} ranks share the {} planes that are solved for along z, and each needs {}: fewer ranks "
        "are needed",
        slabs.ranks(), slabs.planes(), fewest_owned));
  return slabs;
}

} // namespace

template <class T>
SharedLevels<T>::SharedLevels(comm::Communicator& ranks, Queue& queue, Slabs finest)
    : sharing_{ranks, queue, comm::choose_carrier(ranks, queue.device())},
      units_(ranks.from(0, Index{queue.device().is_gpu() ? queue.device().facts().units : 0})),
      slabs_{checked(std::move(finest))} {
  shared_ = 1;
}

template <class T>
Planes SharedLevels<T>::planes_of(const Field<T>& field) {
  const Index3 n = field.extents().xyz();
  return {field.data(), Bytes{n.x * n.y * static_cast<Index>(sizeof(T))}};
}

template <class T>
void SharedLevels<T>::add(const Level<T>& level) {
  const std::size_t l = messages_.size();
  const Slabs& slabs = slabs_[l];
  const double plane = static_cast<double>(planes_of(level.u).each.value);
  const int rank = sharing_.ranks.rank();
  for (int side = 0; side < 2; ++side) {
    if (slabs.neighbour(rank, side) >= 0) sent_ += (l == 0 ? 1 : 2) * slabs.halo() * plane; // u, b below
  }
  messages_.push_back(
      {sharing_.halos(slabs, planes_of(level.u)), sharing_.halos(slabs, planes_of(level.b)), {}});
}

template <class T>
Coarsening SharedLevels<T>::coarsen(const Axis& z, const Coarsening& whole, Index points) {
  const std::size_t l = slabs_.size() - 1;
  slabs_.push_back(slabs_.back().coarsened(whole));
  const bool all_before = shared_ == l + 1;
  if (all_before && slabs_.back().fewest() >= fewest_owned && is_worth_sharing(points)) ++shared_;
  return sliced(z, whole, mine(l), mine(l + 1));
}

/// The gain of sharing, of a level's time and of the bytes that its ranks gather, against its two
/// exchanges of halos.
template <class T>
bool SharedLevels<T>::is_worth_sharing(Index points) const {
  if (units_ == 0 || sharing_.carrier == comm::Carrier::host) return points > few_points;
  const ExchangeTime time = exchange_time(sharing_.carrier);
  const auto n = static_cast<double>(points);
  const double ranks = sharing_.ranks.ranks();
  const double bytes = n * static_cast<double>(sizeof(T));
  const double plane = bytes / static_cast<double>(slabs_.back().planes());
  const double computed =
      n * (1 - 1 / ranks) * multiprocessor_seconds_a_point / static_cast<double>(units_);
  const double gathered = 7.0 / 8 * bytes / ranks * time.byte; // the next level has an eighth
  return computed + gathered > 2 * (time.latency + slabs_.back().halo() * plane * time.byte);
}

template <class T>
void SharedLevels<T>::meet(const Level<T>& whole) {
  const Index3 n = whole.u.extents().xyz();
  const Extents held{n.x, n.y, mine(shared_).held()};
  const Device& device = sharing_.queue.device();
  u_ = Field<T>(device, held, "a rank's part of a level of multigrid");
  b_ = Field<T>(device, held, "a rank's part of a level of multigrid");
  all_b_ = sharing_.all(slabs_[shared_], planes_of(whole.b));
  sent_ += static_cast<double>((sharing_.ranks.ranks() - 1) * mine(shared_).owned() *
                               planes_of(whole.b).each.value);
}

template <class T>
void SharedLevels<T>::arrive(std::size_t l, const Level<T>& level) {
  if (shares(l)) return send(messages_[l].b);
  if (l > shared_) return;
  const Slab& slab = mine(l);
  const Planes from = planes_of(b_);
  copy_bytes_on_device(sharing_.queue, planes_of(level.b).at(slab.begin), from.at(slab.below()),
                       Bytes{slab.owned() * from.each.value});
  send(all_b_);
}

template <class T>
void SharedLevels<T>::exchange_all() {
  for (std::size_t l = 1; l < shared_; ++l)
    exchange_b(l);
  send(all_b_);
  for (std::size_t l = shared_; l-- > 0;)
    exchange_u(l);
}

template <class T>
CycleMessages SharedLevels<T>::messages() const {
  return {sharing_.carrier, sent_, static_cast<int>(shared_), can_be_recorded()};
}

template <class T>
void SharedLevels<T>::leave(std::size_t l, const Level<T>& level) {
  if (l != shared_) return;
  const Slab& slab = mine(l);
  const Planes to = planes_of(u_);
  const Index n = slabs_[l].planes();
  // In pieces that do not go beyond an end of a periodic axis.
  for (Index z = slab.held_begin; z < slab.held_end;) {
    const Index there = (z % n + n) % n;
    const Index planes = std::min(slab.held_end - z, n - there);
    copy_bytes_on_device(sharing_.queue, to.at(z - slab.held_begin), planes_of(level.u).at(there),
                         Bytes{planes * to.each.value});
    z += planes;
  }
}

template <class T>
const Field<T>& SharedLevels<T>::coarse_k(std::size_t l, const Level<T>& level) {
  if (l != shared_) return level.k;
  if (k_.count() == 0) {
    const Index3 n = level.k.extents().xyz();
    k_ = Field<T>(sharing_.queue.device(), Extents{n.x, n.y, mine(l).held() + 2},
                  "a rank's part of a level of multigrid");
    all_k_ = sharing_.all(slabs_[l], {planes_of(level.k).at(1), planes_of(level.k).each});
  }
  return k_;
}

template <class T>
void SharedLevels<T>::arrive_k(std::size_t l, const Level<T>& level) {
  const Planes whole = planes_of(level.k);
  if (shares(l)) {
    if (!messages_[l].k) messages_[l].k = sharing_.halos(slabs_[l], whole, 1);
    return exchange(messages_[l].k);
  }
  if (l > shared_) return;
  const auto copy = [&](Index to, const Planes& from, Index plane, Index count) {
    copy_bytes_on_device(sharing_.queue, whole.at(to), from.at(plane),
                         Bytes{count * whole.each.value});
  };
  const Slab& slab = mine(l);
  const Index n = slabs_[l].planes();
  copy(slab.begin + 1, planes_of(k_), slab.below() + 1, slab.owned());
  exchange(all_k_);
  const bool is_periodic = slabs_[l].is_periodic();
  copy(0, whole, is_periodic ? n : 1, 1);
  copy(n + 1, whole, is_periodic ? 1 : n, 1);
}

template class SharedLevels<float>;
template class SharedLevels<double>;

} // namespace ridge::solve::detail
