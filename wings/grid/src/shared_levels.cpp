#include "shared_levels.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace ridge::solve::detail {

namespace {

/// Planes that a rank must own of a shared level: as many as it gives its neighbours.
constexpr Index fewest_owned = 2 * least_halo;

/// The time of an exchange between GPUs, as measured between H100s of one machine: to begin, and
/// for a byte.
struct ExchangeTime {
  double latency, byte;
};
ExchangeTime exchange_time(comm::Carrier carrier) {
  if (carrier == comm::Carrier::peer) return {9e-6, 1 / 300e9};
  if (carrier == comm::Carrier::nccl) return {8e-6, 1 / 160e9};
  return {40e-6, 1 / 3.3e9};
}
/// Below this a processor has a level's points sooner than its messages. The coarsest level, which
/// is solved exactly, is not shared.
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
    : sharing_{{ranks, queue}},
      units_(ranks.from(0, Index{queue.device().is_gpu() ? queue.device().facts().units : 0})),
      coarse_(asked_coarse(ranks)), slabs_{checked(std::move(finest))}, joins_(1) {
  shared_ = 1;
}

template <class T>
typename SharedLevels<T>::Coarse SharedLevels<T>::asked_coarse(comm::Communicator& ranks) {
  const char* const given = std::getenv("RIDGE_COARSE_LEVELS");
  const std::string text = given != nullptr ? given : "";
  Coarse asked = Coarse::as_worth;
  if (text == "groups") {
    asked = Coarse::groups;
  } else if (text == "all") {
    asked = Coarse::all;
  } else if (!text.empty()) {
    throw UsageError(fmt::format("RIDGE_COARSE_LEVELS is groups or all, not '{}'", text));
  }
  return ranks.from(0, asked);
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
  const int here = slabs.of_rank(sharing_.ranks.rank());
  for (int side = 0; side < 2; ++side) {
    if (slabs.neighbour(here, side) >= 0)
      sent_ += (l == 0 ? 1 : 2) * slabs.halo() * plane; // u, b below
  }
  messages_.push_back(
      {sharing_.halos(slabs, planes_of(level.u)), sharing_.halos(slabs, planes_of(level.b)), {}});
}

template <class T>
void SharedLevels<T>::swap_finest(const Level<T>& level) {
  std::swap(messages_[0].u, other_u_);
  if (!messages_[0].u) messages_[0].u = sharing_.halos(slabs_[0], planes_of(level.u));
}

template <class T>
Coarsening SharedLevels<T>::coarsen(const Axis& z, const Coarsening& whole, Index points) {
  const std::size_t l = slabs_.size() - 1;
  slabs_.push_back(slabs_.back().coarsened(whole));
  joins_.push_back({});
  const Slab part = mine(l + 1);
  if (shared_ == l + 1) share_next(points);
  return sliced(z, whole, mine(l), part);
}

/// By as many ranks as before, by groups, or not.
template <class T>
void SharedLevels<T>::share_next(Index points) {
  const Slabs& parts = slabs_.back();
  const bool goes_on = coarse_ == Coarse::groups && parts.group() > 1 && points > few_points;
  if (parts.fewest() >= fewest_owned && (goes_on || is_worth_sharing(parts, points, 2))) {
    ++shared_;
    return;
  }
  joins_.back() = std::make_unique<Join>();
  joins_.back()->parts = parts;
  for (int group = 2 * parts.group(); group < parts.ranks(); group *= 2) {
    Slabs larger = parts.merged(group);
    if (larger.fewest() < fewest_owned || !joins_group(larger, points)) continue;
    slabs_.back() = std::move(larger);
    ++shared_;
    return;
  }
}

/// The exchange more is of what ranks of a group bring together.
template <class T>
bool SharedLevels<T>::joins_group(const Slabs& group, Index points) const {
  if (coarse_ != Coarse::as_worth) return coarse_ == Coarse::groups && points > few_points;
  return is_worth_sharing(group, points, 3);
}

/// The gain of sharing, of a level's time and of the bytes that its ranks gather, against its
/// exchanges: two of halos, and one where ranks join.
template <class T>
bool SharedLevels<T>::is_worth_sharing(const Slabs& slabs, Index points, int exchanges) const {
  if (units_ == 0 || sharing_.carrier == comm::Carrier::host) return points > few_points;
  const ExchangeTime time = exchange_time(sharing_.carrier);
  const auto n = static_cast<double>(points);
  const double ranks = slabs.count();
  const double bytes = n * static_cast<double>(sizeof(T));
  const double plane = bytes / static_cast<double>(slabs.planes());
  const double computed =
      n * (1 - 1 / ranks) * multiprocessor_seconds_a_point / static_cast<double>(units_);
  const double gathered = 7.0 / 8 * bytes / ranks * time.byte; // the next level has an eighth
  const auto halo = static_cast<double>(slabs.halo());
  return computed + gathered > exchanges * (time.latency + halo * plane * time.byte);
}

template <class T>
void SharedLevels<T>::meet(std::size_t l, const Level<T>& level) {
  if (!is_joined(l)) return;
  Join& join = *joins_[l];
  const Slab& part = mine_of(join.parts);
  const Index3 n = level.u.extents().xyz();
  const Extents held{n.x, n.y, part.held()};
  if (!lies_within(l)) {
    const Device& device = sharing_.queue.device();
    join.u = Field<T>(device, held, "a rank's part of a level of multigrid");
    join.b = Field<T>(device, held, "a rank's part of a level of multigrid");
  }
  const Planes planes = planes_of(level.b);
  join.all_b = sharing_.all(join.parts, joined(l), planes);
  sent_ += static_cast<double>(part.owned() * planes.each.value) *
           static_cast<double>(sharing_.takers(join.parts, joined(l)).size());
}

template <class T>
Span<T> SharedLevels<T>::part_of(std::size_t l, const Field<T>& part, const Field<T>& whole) const {
  if (!lies_within(l)) return part.elements();
  const Index3 n = whole.extents().xyz();
  const Slab& mine = mine_of(joins_[l]->parts);
  return {whole.data() + n.x * n.y * (mine.held_begin - origin(l)), n.x * n.y * mine.held()};
}

template <class T>
NeededPlanes SharedLevels<T>::needed_down(std::size_t l) const {
  constexpr Index sweeps = 2;
  const Slab& here = mine(l);
  const Slab& next = is_joined(l + 1) ? mine_of(joins_[l + 1]->parts) : mine(l + 1);
  NeededPlanes needed = needed_up(l);
  needed.counted_begin = needed.begin;
  needed.counted_end = needed.end;
  needed.begin -= static_cast<int>(std::min(sweeps, here.below()));
  needed.end += static_cast<int>(std::min(sweeps, here.above()));
  needed.coarse_begin = static_cast<int>(next.below());
  needed.coarse_end = static_cast<int>(next.below() + next.owned());
  return needed;
}
template <class T>
NeededPlanes SharedLevels<T>::needed_up(std::size_t l) const {
  const Slab& here = mine(l);
  return {.begin = static_cast<int>(here.below()),
          .end = static_cast<int>(here.below() + here.owned())};
}

template <class T>
void SharedLevels<T>::arrive(std::size_t l, const Level<T>& level) {
  if (is_joined(l)) {
    Join& join = *joins_[l];
    const Slab& part = mine_of(join.parts);
    if (!lies_within(l)) {
      const Planes from = planes_of(join.b);
      copy_bytes_on_device(sharing_.queue, planes_of(level.b).at(part.begin - origin(l)),
                           from.at(part.below()), Bytes{part.owned() * from.each.value});
    }
    send(join.all_b);
  }
  if (shares(l)) send(messages_[l].b);
}

template <class T>
void SharedLevels<T>::exchange_all() {
  for (std::size_t l = 1; l < joins_.size(); ++l) {
    if (joins_[l]) send(joins_[l]->all_b);
    if (shares(l)) exchange_b(l);
  }
  for (std::size_t l = shared_; l-- > 0;)
    exchange_u(l);
}

template <class T>
CycleMessages SharedLevels<T>::messages() const {
  int grouped = 0;
  for (std::size_t l = 0; l < shared_; ++l)
    grouped += slabs_[l].group() > 1 ? 1 : 0;
  return {sharing_.carrier, sent_, static_cast<int>(shared_), grouped, can_be_recorded()};
}

template <class T>
void SharedLevels<T>::leave(std::size_t l, const Level<T>& level) {
  if (!is_joined(l) || lies_within(l)) return;
  const Join& join = *joins_[l];
  const Slab& part = mine_of(join.parts);
  const Planes to = planes_of(join.u);
  const Index n = join.parts.planes();
  // In pieces that do not go beyond an end.
  for (Index z = part.held_begin; z < part.held_end;) {
    const Index there = (z % n + n) % n;
    const Index planes = std::min(part.held_end - z, n - there);
    copy_bytes_on_device(sharing_.queue, to.at(z - part.held_begin), planes_of(level.u).at(there),
                         Bytes{planes * to.each.value});
    z += planes;
  }
}

template <class T>
const Field<T>& SharedLevels<T>::coarse_k(std::size_t l, const Level<T>& level) {
  if (!is_joined(l)) return level.k;
  Join& join = *joins_[l];
  if (join.k.count() == 0) {
    const Index3 n = level.k.extents().xyz();
    join.k = Field<T>(sharing_.queue.device(), Extents{n.x, n.y, mine_of(join.parts).held() + 2},
                      "a rank's part of a level of multigrid");
    const Planes whole = planes_of(level.k);
    join.all_k = sharing_.all(join.parts, joined(l), {whole.at(1), whole.each});
  }
  return join.k;
}

template <class T>
void SharedLevels<T>::arrive_k(std::size_t l, const Level<T>& level) {
  const Planes whole = planes_of(level.k);
  const auto copy = [&](Index to, const Planes& from, Index plane, Index count) {
    copy_bytes_on_device(sharing_.queue, whole.at(to), from.at(plane),
                         Bytes{count * whole.each.value});
  };
  if (is_joined(l)) {
    Join& join = *joins_[l];
    const Slab& part = mine_of(join.parts);
    copy(part.begin - origin(l) + 1, planes_of(join.k), part.below() + 1, part.owned());
    join.all_k.run();
    const bool is_periodic = join.parts.is_periodic();
    const Index n = join.parts.planes();
    const Index held = shares(l) ? mine(l).held() : n;
    // Beyond the ends of the axis; what lies beyond a group's planes comes with its halo.
    const bool wraps = is_periodic && !shares(l);
    if (wraps || (!is_periodic && origin(l) == 0)) copy(0, whole, wraps ? n : 1, 1);
    if (wraps || (!is_periodic && origin(l) + held == n))
      copy(held + 1, whole, wraps ? 1 : held, 1);
  }
  if (shares(l)) {
    if (!messages_[l].k) messages_[l].k = sharing_.halos(slabs_[l], whole, 1);
    messages_[l].k.run();
  }
}

template class SharedLevels<float>;
template class SharedLevels<double>;

} // namespace ridge::solve::detail
