// The one list of what a chain is compiled for: on the cpu the runs of operations, single or joined
// in registers, that its loops are made for; on GPUs the groups of operations that run in one
// launch. Everything else of a schedule is a number of the launch.
//
// Ahead is what defaults pick. A source compiled with RIDGE_AHEAD_NAMES also has what the schedules
// with names need, one with RIDGE_AHEAD_ALL all that the schedule space lists. Other groups are
// compiled when they are asked for (ridge/launch/demand.hpp); that compilation defines
// RIDGE_CHAIN_RUNS or RIDGE_CHAIN_GROUPS as what the plan has, such as {0, 0}, {1, 2}.
#pragma once

#include <ridge/chain/flow.hpp>

#include <array>

namespace ridge::chain {

#if defined(RIDGE_AHEAD_NAMES) || defined(RIDGE_AHEAD_ALL)
inline constexpr bool ahead_of_names = true;
#else
inline constexpr bool ahead_of_names = false;
#endif

namespace detail {

template <std::size_t Most>
struct Ranges {
  std::array<OperationRange, Most> of{};
  std::size_t count = 0;
  constexpr void add(const OperationRange& range) {
    for (std::size_t i = 0; i < count; ++i) {
      if (of[i] == range) return;
    }
    of[count++] = range;
  }
};
template <class C>
using RangesOf = Ranges<2 * static_cast<std::size_t>(operations_of<C>) + groups_of<C>().size() + 1>;

/// Runs of the cpu: the longest that can be joined, and single operations, which schedules without
/// joining take, and defaults where tiles cannot overlap.
template <class C>
constexpr RangesOf<C> runs_ahead() {
  RangesOf<C> all;
  for_each_run(Uses<C>{}, {0, operations_of<C> - 1},
               [&](const OperationRange& run) { all.add(run); });
  for (int k = 0; k < operations_of<C>; ++k)
    all.add({k, k});
  for (const OperationRange& g : groups_of<C>()) {
    if (joined_to(Uses<C>{}, g.first) >= g.last) all.add(g);
  }
  return all;
}

/// Launches of GPUs: all operations where they can be joined; else the groups that the chain lists,
/// operations outside them, and all where values pass from lane to lane.
template <class C>
constexpr RangesOf<C> groups_ahead() {
  constexpr OperationRange whole{0, operations_of<C> - 1};
  RangesOf<C> all;
  const bool joined = joined_to(Uses<C>{}, 0) == whole.last;
  if constexpr (operations_of < C >> 1) {
    constexpr Passing passing = Flow<C, 0, whole.last>::passing;
    constexpr bool by_groups = passing == Passing::columns && groups_of<C>().size() > 0;
    // Launches over instances pass values item by item, or along columns.
    const bool passes =
        passing == Passing::columns || (passing != Passing::memory && outer_of<C>() == 0);
    if (joined || ahead_of_names || (passes && !by_groups)) all.add(whole);
  }
  if (!joined || ahead_of_names) {
    for (const OperationRange& g : groups_of<C>())
      all.add(g);
    for (int k = 0; k < operations_of<C>; ++k) {
      bool listed = false;
      for (const OperationRange& g : groups_of<C>())
        listed = listed || (k >= g.first && k <= g.last);
      if (!listed || ahead_of_names) all.add({k, k});
    }
  }
  // The rest of a group that had to be split runs run by run.
  if (ahead_of_names)
    for_each_run(Uses<C>{}, whole, [&](const OperationRange& run) { all.add(run); });
  if (whole.last == 0) all.add(whole);
  return all;
}

template <class C>
struct RunsAhead {
  static constexpr auto ranges = runs_ahead<C>();
};
template <class C>
struct GroupsAhead {
  static constexpr auto ranges = groups_ahead<C>();
};
/// The ranges without the empty end of their array.
template <class Ahead>
constexpr auto trimmed() {
  std::array<OperationRange, Ahead::ranges.count> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = Ahead::ranges.of[i];
  return all;
}

} // namespace detail

template <class C>
struct RunList {
#if defined(RIDGE_CHAIN_RUNS)
  static constexpr auto values = std::to_array<OperationRange>({RIDGE_CHAIN_RUNS});
#else
  static constexpr auto values = detail::trimmed<detail::RunsAhead<C>>();
#endif
};

template <class C>
struct GroupList {
#if defined(RIDGE_CHAIN_GROUPS)
  static constexpr auto values = std::to_array<OperationRange>({RIDGE_CHAIN_GROUPS});
#else
  static constexpr auto values = detail::trimmed<detail::GroupsAhead<C>>();
#endif
};

} // namespace ridge::chain
