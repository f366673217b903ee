#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/spatial/octree.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace ridge::spatial {

namespace {

void require_sound(const std::array<Index, 4>& sizes, const OctreeOptions& options) {
  if (std::any_of(sizes.begin(), sizes.end(), [&](Index n) { return n != sizes[0]; })) {
    throw UsageError(fmt::format("x, y, z and m of the bodies have {}, {}, {} and {} values; each "
                                 "body has one",
                                 sizes[0], sizes[1], sizes[2], sizes[3]));
  }
  if (sizes[0] < 1) throw UsageError("there are no bodies; a tree needs at least one");
  if (constexpr Index most = std::numeric_limits<std::int32_t>::max(); sizes[0] > most) {
    throw UsageError(fmt::format("{} bodies are more than a tree can have, {}", sizes[0], most));
  }
  refuse_if(options.leaf < 1 || options.leaf > 1 << 20, "leaf={}: a leaf has 1 to {} bodies",
            options.leaf, 1 << 20);
  refuse_if(options.levels < 1 || options.levels > most_levels,
            "levels={}: a tree has 1 to {} levels", options.levels, most_levels);
}

/// So that it is there; what it held is lost.
template <class T>
Span<T> take(Field<T>& field, const Device& device, Index count, const char* name) {
  field = {}; // first: there may not be memory for both
  field = Field<T>(device, Extents{count}, name);
  return field.elements();
}

} // namespace

template <class S, class T>
Octree<S, T>::Octree(Queue& queue, const std::array<Span<const S>, 4>& bodies,
                     const OctreeOptions& options)
    : queue_(queue), sorter_(queue),
      build_step_(offered<BuildTree<S, T>>(queue.device().kind(), typeid(Build<S, T>))) {
  require_sound({bodies[0].size, bodies[1].size, bodies[2].size, bodies[3].size}, options);
  const Device& device = queue.device();
  const Index n = bodies[0].size;
  constexpr Index parts = last_bound + 1;
  call_.bodies = bodies;
  call_.leaf = options.leaf;
  call_.levels = options.levels;
  call_.count = n;
  call_.partial = take(partial_, device, 8 * parts, "bounds");
  call_.odd = take(odd_, device, parts + 1, "bounds");
  call_.cube = take(cube_, device, 8, "bounds");
  for (std::size_t k = 0; k < 2; ++k) {
    (void)take(keys_[k], device, n, "keys of bodies");
    (void)take(order_[k], device, n, "order of bodies");
  }
  call_.packed = take(packed_, device, 4 * n, "bodies");
  call_.sorted = take(sorted_, device, 4 * n, "bodies in order");
  call_.starts = take(starts_, device, n + 1, "nodes of bodies");
  clear(starts_); // of the last, which is no count, a scan reads what it does not use
  call_.level_begin = take(level_field_, device, most_levels + 2, "levels");
  said_ = Memory(device, Bytes{(most_levels + 2) * Index{sizeof(std::uint32_t)}}, "what trees say",
                 Memory::Place::staging);
}

template <class S, class T>
void Octree<S, T>::clear(Field<std::uint32_t>& field) {
  fill_bytes(queue_, field.data(), 0,
             Bytes{field.count() * static_cast<Index>(sizeof(std::uint32_t))});
}

template <class S, class T>
void Octree<S, T>::step(BuildStep step, Index begin, Index end) {
  build_step_(queue_, step, call_, begin, end);
}

template <class S, class T>
void Octree<S, T>::build(const std::function<void(const char*)>& begins,
                         const ChooseUnits& choose) {
  begins("bounds and keys");
  step(BuildStep::bounds);
  if (choose && !has_units_) take_units(choose);
  sort_bodies(begins);
  begins("nodes");
  step(BuildStep::count);
  sorter_.scan(starts_.data(), call_.count);
  Index nodes = count_nodes();
  if (needs_units_ && choose) {
    has_units_ = false;
    build(begins, choose);
    return;
  }
  if (has_long_runs_) nodes = sort_wholly();
  take_nodes(nodes);
  find_nodes();
  begins("moments");
  find_all_moments();
}

template <class S, class T>
void Octree<S, T>::follow(const ChooseUnits& choose) {
  if (call_.nodes == 0) throw UsageError("a tree follows bodies once it is built");
  step(BuildStep::bounds);
  if (choose && !has_units_) take_units(choose);
  // Into the memory that keys were sorted from or through, beside those that nodes are of.
  const std::size_t spare = call_.sorted_order.data == order_[0].data() ? 1 : 0;
  call_.keys = keys_[spare].elements();
  call_.order = order_[spare].elements();
  step(BuildStep::keys);
  step(BuildStep::gather);
  (void)count_nodes();
  if (needs_units_ && choose) {
    has_units_ = false;
    follow(choose);
    return;
  }
  find_all_moments();
}

template <class S, class T>
void Octree<S, T>::take_units(const ChooseUnits& choose) {
  std::array<S, 8> bounds{};
  copy_to_host(queue_, bounds.data(), partial_.data() + 8 * last_bound, 8);
  queue_.wait();
  const Units units = choose({bounds[0], bounds[1], bounds[2]}, {bounds[4], bounds[5], bounds[6]});
  call_.unit = static_cast<S>(units.length);
  call_.mass_unit = static_cast<S>(units.mass);
  call_.least_side = static_cast<S>(units.least_side);
  call_.most_side = static_cast<S>(units.most_side);
  call_.has_origin = units.origin.has_value();
  for (std::size_t c = 0; c < 3 && units.origin; ++c)
    call_.origin[c] = static_cast<S>((*units.origin)[c]);
  has_units_ = true;
  if (units.origin) step(BuildStep::bounds); // again, with that
}

template <class S, class T>
std::uint32_t Octree<S, T>::count_nodes() {
  auto* const said = static_cast<std::uint32_t*>(said_.data());
  copy_to_host(queue_, said, starts_.data() + call_.count, 1);
  copy_to_host(queue_, said + 1, odd_.data() + last_bound, 2);
  queue_.wait();
  const std::uint32_t nodes = said[0];
  const std::uint32_t odd = said[1];
  has_long_runs_ = said[2] != 0;
  refuse_if(static_cast<Index>(odd) < call_.count,
            "the position of body {} is not finite; all must be (bodies count from 0)", odd);
  needs_units_ = static_cast<Index>(odd) > call_.count;
  return nodes;
}

template <class S, class T>
void Octree<S, T>::find_all_moments() {
  step(BuildStep::leaves);
  for (int level = depth() - 2; level >= 0; --level) {
    const auto l = static_cast<std::size_t>(level);
    step(BuildStep::moments, level_begin_[l], level_begin_[l + 1]);
  }
  find_higher();
}

template <class S, class T>
void Octree<S, T>::find_higher() {
  call_.moments_order = order_of_moments_;
  call_.higher = {};
  const Index numbers = higher_numbers(call_.moments_order);
  if (numbers == 0) return;
  if (higher_.count() < numbers * call_.nodes) {
    (void)take(higher_, queue_.device(), numbers * (centres_.count() / 4),
               "higher moments of nodes");
  }
  call_.higher = higher_.elements();
  step(BuildStep::leaf_higher);
  for (int level = depth() - 2; level >= 0; --level) {
    const auto l = static_cast<std::size_t>(level);
    step(BuildStep::higher, level_begin_[l], level_begin_[l + 1]);
  }
  step(BuildStep::traceless);
}

template <class S, class T>
int Octree<S, T>::leading_bits() const {
  const int all = 3 * call_.levels;
  if (level_begin_.empty() || !facts_of(queue_.device()).takes_gpu_schedules) return all;
  // Four cells a body, were these everywhere as dense. The leaves of the last tree tell how dense
  // they are at most; 16 of their cells are one.
  const int of_all = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(call_.count))) + 2;
  const int of_leaves = 3 * (depth() - 1) - 4;
  constexpr int pass = 8; // bits that a pass of the sort goes by
  return std::min((std::max(of_all, of_leaves) + pass - 1) / pass * pass + more_bits_, all);
}

template <class S, class T>
void Octree<S, T>::sort_bodies(const std::function<void(const char*)>& begins) {
  call_.keys = keys_[0].elements();
  call_.order = order_[0].elements();
  step(BuildStep::keys);
  begins("sort");
  sort_by(0, leading_bits());
  begins("gather");
  if (call_.bits_left == 0) {
    step(BuildStep::gather);
    return;
  }
  const auto other = call_.sorted_order.data == order_[0].data() ? 1 : 0;
  call_.keys = keys_[other].elements();
  call_.order = order_[other].elements();
  step(BuildStep::settle);
  call_.sorted_keys = call_.keys;
  call_.sorted_order = call_.order;
}

template <class S, class T>
void Octree<S, T>::sort_by(int from, int bits) {
  const auto to = static_cast<std::size_t>(1 - from);
  const auto here = static_cast<std::size_t>(from);
  SortBuffers buffers{{keys_[here].data(), keys_[to].data()},
                      {order_[here].data(), order_[to].data()},
                      0,
                      call_.count};
  call_.bits_left = 3 * call_.levels - bits;
  sorter_.sort(buffers, call_.bits_left, 3 * call_.levels);
  const std::size_t now = buffers.current == 0 ? here : to;
  call_.sorted_keys = std::as_const(keys_[now]).elements();
  call_.sorted_order = std::as_const(order_[now]).elements();
}

template <class S, class T>
std::uint32_t Octree<S, T>::sort_wholly() {
  more_bits_ += 8;
  sort_by(call_.sorted_order.data == order_[0].data() ? 0 : 1, 3 * call_.levels);
  step(BuildStep::gather);
  step(BuildStep::count);
  sorter_.scan(starts_.data(), call_.count);
  return count_nodes();
}

template <class S, class T>
void Octree<S, T>::take_nodes(Index nodes) {
  call_.nodes = nodes;
  if (nodes <= centres_.count() / 4) return;
  const Device& device = queue_.device();
  const Index room = nodes + nodes / 8; // they will not be as many at the next step
  for (std::size_t k = 0; k < 2; ++k) {
    (void)take(node_keys_[k], device, room, "nodes");
    (void)take(node_values_[k], device, room, "nodes");
    clear(node_values_[k]); // which are sorted with the keys, and not used
  }
  call_.links = take(links_, device, 2 * room, "children of nodes");
  call_.centres = take(centres_, device, 4 * room, "centres of nodes");
  call_.moments = take(moments_, device, 8 * room, "moments of nodes");
  call_.low = take(low_, device, 4 * room, "boxes of nodes");
  call_.high = take(high_, device, 4 * room, "boxes of nodes");
}

template <class S, class T>
void Octree<S, T>::find_nodes() {
  call_.node_keys = node_keys_[0].elements();
  step(BuildStep::emit);
  SortBuffers buffers{{node_keys_[0].data(), node_keys_[1].data()},
                      {node_values_[0].data(), node_values_[1].data()},
                      0,
                      call_.nodes};
  sorter_.sort(buffers, 32, 32 + 5);
  call_.found_nodes = node_keys_[static_cast<std::size_t>(buffers.current)].elements();
  step(BuildStep::link);
  auto* const begins = static_cast<std::uint32_t*>(said_.data());
  copy_to_host(queue_, begins, level_field_.data(), most_levels + 2);
  queue_.wait();
  level_begin_.clear();
  for (int level = 0; level < most_levels + 2; ++level) {
    level_begin_.push_back(begins[level]);
    if (begins[level] == call_.nodes) break;
  }
}

template <class S, class T>
Bytes Octree<S, T>::held() const {
  const auto of = [](const auto& field) {
    return field.count() * static_cast<Index>(sizeof(*field.data()));
  };
  Index sum = sorter_.held().value + of(partial_) + of(cube_) + of(packed_) + of(sorted_) +
              of(centres_) + of(low_) + of(high_) + of(moments_) + of(higher_) + of(odd_) +
              of(starts_) + of(links_) + of(level_field_);
  for (std::size_t k = 0; k < 2; ++k)
    sum += of(keys_[k]) + of(order_[k]) + of(node_keys_[k]) + of(node_values_[k]);
  return Bytes{sum};
}

template class Octree<float, float>;
template class Octree<double, double>;
template class Octree<double, float>;

} // namespace ridge::spatial
