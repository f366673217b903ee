// The one list of what lattice kernels are compiled for: which values of schedule fields and of
// calls are template parameters of executors, and which of them are compiled ahead.
//
// Ahead is what defaults pick. A source compiled with RIDGE_AHEAD_NAMES also has what the schedules
// with names need, one with RIDGE_AHEAD_ALL every value that the schedule space lists. Anything
// else that is possible is compiled when it is asked for (ridge/launch/demand.hpp); that
// compilation defines RIDGE_LATTICE_REDUCE, _CPU_REDUCE, _MAP or _SITES as the one variant wanted.
#pragma once

#include <ridge/lattice/gpu/schedule.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/lattice/variant.hpp>

#include <array>
#include <cstddef>

#if defined(RIDGE_LATTICE_REDUCE) || defined(RIDGE_LATTICE_CPU_REDUCE) ||                          \
    defined(RIDGE_LATTICE_MAP) || defined(RIDGE_LATTICE_SITES)
#define RIDGE_LATTICE_DEMANDED
#endif

namespace ridge::lattice {

#if defined(RIDGE_AHEAD_ALL)
inline constexpr bool ahead_all = true;
#else
inline constexpr bool ahead_all = false;
#endif
#if defined(RIDGE_AHEAD_ALL) || defined(RIDGE_AHEAD_NAMES)
inline constexpr bool ahead_names = true;
#else
inline constexpr bool ahead_names = false;
#endif

/// Whether a reduction can replace accesses one by one.
template <class R>
inline constexpr bool rolls = adds_up<R> && !R::stores;

/// Whether a reduction can go through a result a site in memory.
template <class R>
inline constexpr bool can_stage = !R::by_component || (R::inputs == 1 && !R::stores);

/// Whether a reduction is by default without a loop where that is fastest: it stores what it reads
/// to one number.
template <class R>
inline constexpr bool stores_number = R::stores && !R::by_component;

/// The variant that a schedule and a call need.
template <class R>
constexpr ReduceVariant reduce_variant(const GpuSchedule& s, bool complex, bool reproducible,
                                       bool slices) {
  if (s.reduce == Passes::staged) return {1, Passes::staged, false, false};
  ReduceVariant v;
  v.crossed = R::parts == Parts::crossed && complex;
  v.binned = reproducible && adds_up<R>;
  if (adds_up<R> && !v.binned) {
    v.items = s.items == rolling_items && !(rolls<R> && !slices) ? 16 : s.items;
  }
  if (s.reduce == Passes::once) {
    v.passes = Passes::once;
    if (!v.binned) v.items = s.items;
  }
  return v;
}
template <class R>
constexpr CpuReduceVariant cpu_reduce_variant(bool complex, bool reproducible) {
  return {R::parts == Parts::crossed && complex, reproducible && adds_up<R>};
}
constexpr MapVariant map_variant(const GpuSchedule& s) {
  return {s.items == rolling_items ? 16 : s.items, s.store};
}

namespace detail {

/// The array of what Make{}(add) adds.
template <class V, class Make>
constexpr auto listed(Make make) {
  constexpr std::size_t count = [] {
    std::size_t n = 0;
    Make{}([&](const V&) { ++n; });
    return n;
  }();
  std::array<V, count> all{};
  std::size_t n = 0;
  make([&](const V& v) { all[n++] = v; });
  return all;
}

} // namespace detail

#if defined(RIDGE_LATTICE_DEMANDED)

template <class R>
struct ReduceList {
#if defined(RIDGE_LATTICE_REDUCE)
  static constexpr std::array values{ReduceVariant{RIDGE_LATTICE_REDUCE}};
#else
  static constexpr std::array<ReduceVariant, 0> values{};
#endif
};
template <class R>
struct CpuReduceList {
#if defined(RIDGE_LATTICE_CPU_REDUCE)
  static constexpr std::array values{CpuReduceVariant{RIDGE_LATTICE_CPU_REDUCE}};
#else
  static constexpr std::array<CpuReduceVariant, 0> values{};
#endif
};
struct MapList {
#if defined(RIDGE_LATTICE_MAP)
  static constexpr std::array values{MapVariant{RIDGE_LATTICE_MAP}};
#else
  static constexpr std::array<MapVariant, 0> values{};
#endif
};
/// `Ahead` is what would be compiled ahead.
template <class Ahead>
struct SiteList {
#if defined(RIDGE_LATTICE_SITES)
  static constexpr std::array values{SiteVariant{RIDGE_LATTICE_SITES}};
#else
  static constexpr std::array<SiteVariant, 0> values{};
#endif
};

#else

template <class R>
struct ReduceList {
  static constexpr auto values = detail::listed<ReduceVariant>([](auto add) {
    for (const bool crossed : {false, true}) {
      if (crossed && R::parts != Parts::crossed) continue;
      add({4, Passes::fused, crossed, false});
      if (adds_up<R>) {
        add({16, Passes::fused, crossed, false});
        add({4, Passes::fused, crossed, true});
        if (ahead_names && rolls<R>) add({rolling_items, Passes::fused, crossed, false});
        if (ahead_all) add({1, Passes::fused, crossed, false});
        if (ahead_names) add({4, Passes::once, crossed, true});
      }
      if (ahead_names || stores_number<R>) add({1, Passes::once, crossed, false});
      if (ahead_all) add({4, Passes::once, crossed, false});
    }
    if (ahead_names && can_stage<R>) add({1, Passes::staged, false, false});
  });
};

/// All that there is: a few bodies.
template <class R>
struct CpuReduceList {
  static constexpr auto values = detail::listed<CpuReduceVariant>([](auto add) {
    for (const bool crossed : {false, true}) {
      if (crossed && R::parts != Parts::crossed) continue;
      add({crossed, false});
      if (adds_up<R>) add({crossed, true});
    }
  });
};

struct MapList {
  static constexpr auto values = detail::listed<MapVariant>([](auto add) {
    for (const Store store : {Store::plain, Store::nontemporal}) {
      if (store == Store::nontemporal && !ahead_all) continue;
      add({1, store});
      if (ahead_names) add({4, store});
      if (ahead_names) add({16, store});
    }
  });
};

/// `Ahead`: a list of what is compiled ahead.
template <class Ahead>
struct SiteList {
  static constexpr auto values = Ahead::values;
};

#endif

/// Assignments: with a thread for each component, and in the space with one for each site.
struct AssignAhead {
  static constexpr auto values = detail::listed<SiteVariant>([](auto add) {
    add({Components::threads, 1024});
    if (ahead_all) add({Components::serial, site_bounds});
  });
};

} // namespace ridge::lattice
