#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/traits.hpp>
#include <ridge/pairs/tree.hpp>

#include "../core/refuse.hpp"
#include "phase_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace ridge::pairs {

double tree_alpha(double theta, int order) {
  constexpr std::array<double, 5> factors{0.06, 0.04, 0.03, 0.025, 0.02};
  return factors[static_cast<std::size_t>(order - 1)] * std::pow(theta, order + 2);
}

void require_sound(const TreeOptions& o) {
  refuse_if(!(o.theta >= 0 && o.theta <= 1.5),
            "theta {:g}: it is from 0, which computes all pairs, to 1.5, beyond which sums are too "
            "far off to be of use",
            o.theta);
  refuse_if(o.order < 1 || o.order > spatial::most_order,
            "order {}: there are 1, masses at their centres, 2, quadrupoles, too, 3, octupoles, "
            "too, 4 and 5",
            o.order);
  refuse_if(!(o.softening >= 0) || !std::isfinite(o.softening),
            "softening {:g}: it must be 0 or positive", o.softening);
}

namespace {

const TreeOptions& sound(const TreeOptions& options) {
  require_sound(options);
  return options;
}

} // namespace

template <class P>
Tree<P>::Tree(Queue& queue, const std::array<Span<const Stored>, 4>& bodies,
              const TreeOptions& options)
    : queue_(queue), options_(sound(options)),
      octree_(queue, bodies, {options.schedule.leaf, options.schedule.levels}),
      step_(offered<WalkTree<P>>(queue.device().kind(), typeid(TreeWalk<P>))), sorter_(queue) {
  const Device& device = queue.device();
  walk_.schedule = options.schedule;
  walk_.order = options.order;
  octree_.keep_moments(options.order);
  walk_.theta = options.theta;
  needs_ = Field<typename P::Computed>(device, Extents{octree_.count()}, "needs of bodies");
  if constexpr (std::is_same_v<P, Mixed>) {
    gaps_ = Field<Stored>(device, Extents{octree_.count()}, "gaps between bodies");
    walk_.gaps = gaps_.elements();
  }
  next_ = Field<std::uint32_t>(device, Extents{3}, "the next group");
  limit_ = Field<std::uint32_t>(device, Extents{2}, "costs of groups");
  costs_ = Field<double>(device, Extents{cost_parts[0] + cost_parts[1] + cost_parts[2]},
                         "costs of groups");
  // The narrowest groups have a warp's 32 targets.
  cut_ = Field<std::uint32_t>(device, Extents{octree_.count() / 32 + 1}, "groups that are cut");
  walk_.limit = limit_.elements();
  walk_.costs = costs_.elements();
  walk_.cut = cut_.elements();
  set_limit(no_limit);
  // A group has at least one target.
  met_ = Field<std::uint32_t>(device, Extents{2 * octree_.count()}, "what groups met");
  walk_.needs = needs_.elements();
  walk_.next = next_.elements();
  walk_.met = met_.elements();
}

template <class P>
void Tree<P>::update() {
  octree_.build(begins_, choose_units());
  met_is_here_ = true; // it has waited
  keys_are_right_ = true;
  prepare();
}

template <class P>
void Tree<P>::follow() {
  octree_.follow(choose_units());
  met_is_here_ = true;
  keys_are_right_ = false;
  prepare();
}

template <class P>
void Tree<P>::prepare() {
  walk_.tree = octree_.parts();
  const double unit = walk_.tree.unit;
  walk_.softening_squared = options_.softening * unit * (options_.softening * unit);
  walk_.unit_of_length = static_cast<Summed>(unit);
  walk_.unit_of_potential = static_cast<Summed>(unit / static_cast<double>(walk_.tree.mass_unit));
  walk_.alpha =
      knows_accelerations_ && options_.theta > 0 ? tree_alpha(options_.theta, options_.order) : 0;
  walk_.least_of_parts = static_cast<typename P::Computed>(
      walk_.alpha > 0 ? std::max(1.0, 1 / (options_.theta * options_.theta)) : 1.0);
  step_(queue_, TreeStep::criterion, walk_);
  if constexpr (std::is_same_v<P, Mixed>) {
    TreeWalk<P> of_none = walk_;
    of_none.first_group = of_none.end_group = 0;
    walk_.group = step_(queue_, TreeStep::walk, of_none);
    walk_.keys_are_right = keys_are_right_;
    step_(queue_, TreeStep::gaps, walk_);
  }
  if (essential_) walk_.tree = essential_->merge(walk_, octree_.level_begin(), begins_);
}

template <class P>
void Tree<P>::among(comm::Communicator& ranks) {
  essential_ = std::make_unique<Essential<P>>(queue_, ranks);
}

template <class P>
void Tree<P>::take_sums(const std::array<Span<Summed>, 4>& sums) {
  for (const auto& sum : sums) {
    if (sum.size != octree_.count()) {
      throw UsageError(fmt::format("sums of {} bodies are asked for, and the tree has {}", sum.size,
                                   octree_.count()));
    }
  }
  walk_.sums = sums;
}

template <class P>
void Tree<P>::sum(const std::array<Span<Summed>, 4>& sums) {
  if (walk_.tree.nodes == 0) throw UsageError("a tree is summed over after its first update");
  take_sums(sums);
  // By radius over distance alone forces that nearly cancel are far worse than theta promises.
  const bool is_first = !knows_accelerations_ && options_.theta > 0;
  walk_all();
  if (!is_first) return;
  // Nor do costs by it cut groups as later ones do: parts have fewer targets, and larger errors.
  set_limit(no_limit);
  prepare();
  walk_all();
}

template <class P>
void Tree<P>::walk_all() {
  begins_("walk");
  if (messages_ != nullptr) {
    walk_for_part();
  } else {
    if (group_ > 0) turn_groups(0, ceil_div(octree_.count(), group_));
    group_ = step_(queue_, TreeStep::walk, walk_);
  }
  walk_.groups = ceil_div(octree_.count(), group_);
  step_(queue_, TreeStep::costs, walk_);
  remember_accelerations(walk_.sums);
}

template <class P>
void Tree<P>::share_out(int part, int parts, TreeMessages<P>& messages) {
  part_ = part;
  messages_ = &messages;
  parts_.begins.assign(static_cast<std::size_t>(parts) + 1, 0);
  parts_.bodies = octree_.count();
  if (messages.reaches_others()) return;
  packed_of_ = Field<std::uint32_t>(queue_.device(), Extents{octree_.count()}, "places of sums");
  walk_.packed_of = packed_of_.elements();
}

/// By what groups cost in the sums before, once that is known: all parts know it of all groups. The
/// host has it by now; it adds up once, since the device soon waits for it.
template <class P>
void Tree<P>::share_by_costs(Index groups) {
  const std::size_t parts = parts_.begins.size() - 1;
  if (parts_.begins[parts] == groups && !shares_are_due()) {
    ++shares_age_;
    return;
  }
  shares_age_ = group_ > 0 ? 1 : sums_of_shares;
  const auto* const met = static_cast<const std::uint32_t*>(met_on_host_.data());
  if (group_ > 0 && !met_is_here_) queue_.wait();
  std::vector<double> before{0}; // costs before each group
  before.reserve(static_cast<std::size_t>(groups) + 1);
  const std::uint64_t of_node = slots_of_node(options_.order);
  for (Index g = 0; g < groups; ++g) {
    const std::uint64_t cost =
        group_ == 0 ? 1 : std::uint64_t{cost_of_body} * met[2 * g] + of_node * met[2 * g + 1];
    before.push_back(before.back() + static_cast<double>(cost));
  }
  const double all = before.back();
  const auto at = [&](Index group) { return before[static_cast<std::size_t>(group)]; };
  if (parts_.begins[parts] == groups) {
    constexpr double uneven = 1.005; // where shares move, memory of sums lies elsewhere
    double most = 0;
    for (std::size_t p = 0; p < parts; ++p)
      most = std::max(most, at(parts_.begins[p + 1]) - at(parts_.begins[p]));
    if (most * static_cast<double>(parts) <= uneven * all) return;
  }
  for (std::size_t p = 1; p < parts; ++p) {
    const double share = static_cast<double>(p) / static_cast<double>(parts) * all;
    parts_.begins[p] = std::lower_bound(before.begin(), before.end(), share) - before.begin();
  }
  parts_.begins[parts] = groups;
}

/// Groups take turns by what they cost in the sums before: that changes slowly, so some sums take
/// the same turns.
template <class P>
void Tree<P>::turn_groups(Index first, Index end) {
  const bool has_turns = first == turns_begin_ && end == turns_end_ && turns_age_ < sums_of_shares;
  if (++turns_age_; has_turns) return;
  walk_.turns = {};
  turns_begin_ = turns_end_ = 0;
  const Device& device = queue_.device();
  if (walk_.schedule.cut <= 0 || !facts_of(device).takes_gpu_schedules || end == first) return;
  if (turn_keys_[0].count() < end - first) {
    for (std::size_t k = 0; k < 2; ++k) {
      turn_keys_[k] = Field<std::uint64_t>(device, Extents{end - first}, "turns of groups");
      turn_groups_[k] = Field<std::uint32_t>(device, Extents{end - first}, "turns of groups");
    }
  }
  TreeWalk<P> of_turns = walk_;
  of_turns.first_group = first;
  of_turns.end_group = end;
  of_turns.group = group_;
  of_turns.turn_keys = turn_keys_[0].elements();
  of_turns.turn_groups = turn_groups_[0].elements();
  step_(queue_, TreeStep::turns, of_turns);
  spatial::SortBuffers buffers{{turn_keys_[0].data(), turn_keys_[1].data()},
                               {turn_groups_[0].data(), turn_groups_[1].data()},
                               0,
                               end - first};
  sorter_.sort(buffers, 0, turn_bits);
  const Field<std::uint32_t>& turned = turn_groups_[static_cast<std::size_t>(buffers.current)];
  walk_.turns = {turned.data(), end - first};
  turns_begin_ = first;
  turns_end_ = end;
  turns_age_ = 1;
}

/// In messages, for the groups of the largest part.
template <class P>
void Tree<P>::make_room() {
  const auto parts = static_cast<Index>(parts_.begins.size()) - 1;
  Index most = 1;
  for (std::size_t p = 0; p + 1 < parts_.begins.size(); ++p)
    most = std::max(most, parts_.begins[p + 1] - parts_.begins[p]);
  std::array<Summed*, 4> here{};
  for (std::size_t c = 0; c < 4; ++c)
    here[c] = walk_.sums[c].data;
  const bool has_room = most <= parts_.room && packed_.met.count() == 2 * parts * parts_.room;
  if (has_room && here == bound_) return;
  if (!has_room) parts_.room = most + most / 16 + 1;
  const Device& device = queue_.device();
  const Index sums = messages_->reaches_others() ? 0 : 4 * parts * parts_.room * parts_.group;
  Packed made{{}, Field<std::uint32_t>(device, Extents{2 * parts * parts_.room}, "costs of parts")};
  if (sums > 0) made.sums = Field<Summed>(device, Extents{sums}, "sums along the curve");
  std::swap(packed_, made); // others reach the memory of before until all have bound messages
  parts_.sums = walk_.packed = packed_.sums.elements();
  parts_.met = packed_.met.elements();
  bound_ = here;
  messages_->bind(parts_, walk_.sums);
  const std::vector<TreeSums<P>> others = messages_->others();
  std::copy(others.begin(), others.end(), walk_.others.begin());
  walk_.count_others = static_cast<int>(others.size());
}

/// What a part's groups met, to where messages have it or from there.
template <class P>
void Tree<P>::move_met(int part, bool out) {
  const auto p = static_cast<std::size_t>(part);
  std::uint32_t* const here = met_.data() + 2 * parts_.begins[p];
  std::uint32_t* const there = packed_.met.data() + 2 * parts_.room * part;
  const Index count = 2 * (parts_.begins[p + 1] - parts_.begins[p]);
  if (count == 0) return;
  copy_bytes_on_device(queue_, out ? there : here, out ? here : there,
                       Bytes{count * static_cast<Index>(sizeof(std::uint32_t))});
}

template <class P>
void Tree<P>::walk_for_part() {
  walk_.first_group = walk_.end_group = 0;
  const Index group = step_(queue_, TreeStep::walk, walk_); // how many targets it has
  const Index groups = ceil_div(octree_.count(), group);
  const bool knows_costs = group_ > 0;
  share_by_costs(groups);
  parts_.group = group_ = group;
  make_room();
  const bool packs = walk_.count_others == 0;
  const int parts = static_cast<int>(parts_.begins.size()) - 1;
  for (int n = 1; packs && n <= parts; ++n) { // the own one last
    const int part = (part_ + n) % parts;
    walk_.first_place = parts_.place(part);
    walk_.end_place = parts_.place(part + 1);
    walk_.packed_at = part * parts_.room * group;
    step_(queue_, TreeStep::places, walk_);
  }
  if (!packs) messages_->meet();
  walk_.first_group = parts_.begins[static_cast<std::size_t>(part_)];
  walk_.end_group = parts_.begins[static_cast<std::size_t>(part_) + 1];
  if (knows_costs) turn_groups(walk_.first_group, walk_.end_group);
  (void)step_(queue_, TreeStep::walk, walk_);
  begins_("exchange");
  move_met(part_, true);
  messages_->run();
  if (packs) step_(queue_, TreeStep::unpack, walk_);
  for (int part = 0; part < parts; ++part) {
    if (part != part_) move_met(part, false);
  }
  if (!shares_are_due()) return;
  const Bytes costs{2 * groups * static_cast<Index>(sizeof(std::uint32_t))};
  if (met_on_host_.size().value < costs.value)
    met_on_host_ = Memory(queue_.device(), costs, "costs of groups", Memory::Place::staging);
  copy_bytes_to_host(queue_, met_on_host_.data(), met_.data(), costs);
  met_is_here_ = false;
}

template <class P>
void Tree<P>::set_limit(std::uint32_t limit) {
  copy_to_device(queue_, limit_.data(), &limit, 1);
  queue_.wait();
  met_is_here_ = true;
}

template <class P>
std::uint32_t Tree<P>::limit() {
  std::uint32_t limit = no_limit;
  copy_to_host(queue_, &limit, limit_.data(), 1);
  queue_.wait();
  return limit;
}

template <class P>
void Tree<P>::forget() {
  knows_accelerations_ = false;
  set_limit(no_limit);
}

template <class P>
void Tree<P>::remember(const std::array<Span<Summed>, 4>& sums, std::uint32_t limit) {
  set_limit(limit);
  remember_accelerations(sums);
}

template <class P>
void Tree<P>::remember_accelerations(const std::array<Span<Summed>, 4>& sums) {
  take_sums(sums);
  TreeWalk<P> next = walk_;
  next.tree.count = octree_.count();
  next.alpha = tree_alpha(options_.theta, options_.order);
  step_(queue_, TreeStep::remember, next);
  knows_accelerations_ = true;
}

template <class P>
TreePairs Tree<P>::pairs() {
  TreePairs met;
  if (group_ == 0) return met;
  const Index n = octree_.count();
  const Index groups = ceil_div(n, group_);
  std::vector<std::uint32_t> host(static_cast<std::size_t>(2 * groups));
  copy_to_host(queue_, host.data(), met_.data(), 2 * groups);
  queue_.wait();
  double all = 0;
  double most = 0;
  const std::size_t parts = std::max<std::size_t>(parts_.begins.size(), 2) - 1;
  std::vector<double> of_parts(parts);
  std::size_t part = 0;
  for (Index g = 0; g < groups; ++g) {
    while (part + 1 < parts && g >= parts_.begins[part + 1])
      ++part;
    const double bodies = host[static_cast<std::size_t>(2 * g)];
    const double nodes = host[static_cast<std::size_t>(2 * g + 1)];
    met.bodies += bodies;
    met.nodes += nodes;
    all += cost_of_body * bodies + slots_of_node(options_.order) * nodes;
    most = std::max(most, cost_of_body * bodies + slots_of_node(options_.order) * nodes);
    of_parts[part] += cost_of_body * bodies + slots_of_node(options_.order) * nodes;
  }
  if (all > 0) {
    met.imbalance_of_parts =
        *std::max_element(of_parts.begin(), of_parts.end()) / (all / static_cast<double>(parts));
  }
  if (all > 0) met.imbalance = most / (all / static_cast<double>(groups));
  met.bodies -= static_cast<double>(n); // none acts on itself
  return met;
}

template <class P>
std::vector<TreePhase> Tree<P>::phases(const std::array<Span<Summed>, 4>& sums,
                                       const std::function<void()>& before) {
  PhaseClock clock(queue_);
  struct Quiet { // where bodies turn out to be nowhere, too
    std::function<void(const char*)>& begins;
    ~Quiet() {
      begins = [](const char* /*phase*/) {};
    }
  } const quiet{begins_};
  begins_ = [&](const char* name) { clock.begins(name); };
  for (int n = 0; n < 3; ++n) {
    if (before) {
      clock.begins("move");
      before();
    }
    update();
    sum(sums);
    clock.end();
  }
  return clock.middle();
}

namespace {

/// Threads, or warps that a GPU holds: five blocks of four a multiprocessor, three in fp64.
double workers(const Device& device, const TreeSchedule& schedule, std::size_t number) {
  if (device.is_gpu()) return device.facts().units * (number == 4 ? 20.0 : 12.0);
  return schedule.threads > 0 ? schedule.threads : cpu::default_threads();
}

} // namespace

template <class P>
Record Tree<P>::record(std::string_view kernel) {
  const Device& device = queue_.device();
  const TreePairs met = pairs();
  Record record;
  record.pattern = "tree";
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = P::name;
  record.size = Extents{octree_.count()};
  TreeSchedule walked = options_.schedule;
  if (options_.order >= only_tile_from) walked.tile = 2;
  record.schedule = text::print(walked);
  record.work = work_of(traits_of<Gravity<>, P>(), {octree_.count(), octree_.count(), true});
  record.work.items = static_cast<Index>(met.bodies + met.nodes);
  const double far = with_order(options_.order, [](auto order) { return FarOf<order()>::flops; });
  record.work.flops = met.bodies * Gravity<>::flops + met.nodes * far;
  record.work.convention = fmt::format(
      "{:.0f} operations an interaction of two bodies, {:.0f} of a body and a node, those of the "
      "launch before{}",
      Gravity<>::flops, far, options_.theta == 0 ? "; theta 0 is all pairs" : "");
  const auto n = static_cast<double>(octree_.count());
  record.details = {
      {"theta", options_.theta, {}},
      {"order", static_cast<double>(options_.order), {}},
      {"p2p", met.bodies / n, {}},
      {"p2c", met.nodes / n, {}},
      {"imbalance", met.imbalance, {}},
      {"groups", static_cast<double>(group_ > 0 ? ceil_div(octree_.count(), group_) : 0), {}},
      {"workers", workers(device, options_.schedule, sizeof(typename P::Computed)), {}},
      {"nodes", static_cast<double>(octree_.nodes()), {}},
      {"depth", static_cast<double>(octree_.depth()), {}}};
  if (messages_ != nullptr) {
    record.ranks = static_cast<int>(parts_.begins.size()) - 1;
    record.details.push_back({"imbalance_of_ranks", met.imbalance_of_parts, {}});
  }
  return record;
}

template <class P>
Bytes Tree<P>::held() const {
  const Index more = needs_.count() * static_cast<Index>(sizeof(typename P::Computed)) +
                     gaps_.count() * static_cast<Index>(sizeof(Stored)) +
                     packed_.sums.count() * static_cast<Index>(sizeof(Summed)) +
                     (next_.count() + met_.count() + packed_.met.count() + packed_of_.count() +
                      cut_.count() + 2 * turn_groups_[0].count()) *
                         static_cast<Index>(sizeof(std::uint32_t)) +
                     2 * turn_keys_[0].count() * static_cast<Index>(sizeof(std::uint64_t)) +
                     sorter_.held().value;
  return Bytes{octree_.held().value + more + (essential_ ? essential_->held().value : 0)};
}

template class Tree<Fp32>;
template class Tree<Fp64>;
template class Tree<Mixed>;

} // namespace ridge::pairs
