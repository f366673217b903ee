// The one list of what an interaction is compiled for: schedule fields that are template
// parameters, which of their values defaults pick, and which are compiled ahead.
//
// Ahead is what defaults pick. An interaction of `names_ahead`, or a source compiled with
// RIDGE_AHEAD_NAMES, also has what the schedules with names need, one with RIDGE_AHEAD_ALL every
// value that the schedule space lists. Anything else that is possible is compiled when it is asked
// for (ridge/launch/demand.hpp); that compilation defines RIDGE_PAIRS_CPU, RIDGE_PAIRS_DIRECT or
// RIDGE_PAIRS_SYMMETRIC as the one variant wanted.
#pragma once

#include <ridge/pairs/interaction.hpp>
#include <ridge/pairs/schedule_fields.hpp>

#include <array>
#include <cstddef>

namespace ridge::pairs {

/// On the cpu.
struct CpuVariant {
  int tile = 2;
  friend constexpr bool operator==(const CpuVariant&, const CpuVariant&) = default;
};

/// The fields of GpuSchedule that are compiled into kernels, form=direct.
struct DirectVariant {
  Stage stage = Stage::shared;
  int tile = 1;
  int unroll = 4;
  int ways = 1;
  friend constexpr bool operator==(const DirectVariant&, const DirectVariant&) = default;
};

/// The fields of GpuSchedule that are compiled into kernels, form=symmetric.
struct SymmetricVariant {
  int tile = 4;
  int unroll = 2;
  friend constexpr bool operator==(const SymmetricVariant&, const SymmetricVariant&) = default;
};

/// What decides how many targets defaults give to a thread.
struct TileFacts {
  bool mutual = false;  ///< each pair of bodies can be computed once for both
  bool single = false;  ///< all in fp32
  bool convert = false; ///< stored in another type than computed in
  int values = 0;       ///< components of a target and of its sums
  int sources = 0;      ///< components of a source
};

/// Whether register tiles of four and eight targets pay: as measured on Hopper, the wider a sum,
/// the fewer of them a thread should have. Gravity in fp32 has seven values a target.
constexpr bool takes_wide_tiles(const TileFacts& facts) {
  return facts.mutual && facts.single && facts.values <= 7;
}

/// The same of few targets, for which a thread holds four sources at a time: of six components
/// each, tiles of four spill on AMD lanes of 32 a warp.
constexpr bool takes_four_of_few(const TileFacts& facts) {
  return takes_wide_tiles(facts) && facts.sources <= 4;
}

/// For many targets. `eight` says whether threads have registers for eight of them.
constexpr DirectVariant variant_for_many(const TileFacts& facts, bool eight) {
  if (takes_wide_tiles(facts))
    return eight ? DirectVariant{Stage::shared, 8, 2, 1} : DirectVariant{Stage::shared, 4, 4, 1};
  return {Stage::shared, facts.convert ? 4 : 1, 4, 1};
}

/// For few targets: those of a block are so many times a warp's width, 1, or 2 or 4 with wide
/// tiles.
constexpr DirectVariant variant_for_few(const TileFacts& facts, int widths) {
  const int tile = takes_four_of_few(facts) ? 4 : 2;
  return {Stage::warp, tile, 4, tile / widths};
}

/// As measured: registers and their banks.
constexpr SymmetricVariant symmetric_variant(bool eight) {
  return eight ? SymmetricVariant{8, 4} : SymmetricVariant{4, 2};
}

/// The three approaches of the talk on thread cooperation, which have names.
inline constexpr DirectVariant talk_shared{Stage::shared, 1, 4, 1};
inline constexpr DirectVariant talk_shuffle{Stage::shuffle, 1, 4, 1};
inline constexpr DirectVariant talk_both{Stage::both, 4, 4, 1};

/// Whether the schedule space lists a variant.
constexpr bool is_listed(const DirectVariant& v) {
  if (v.stage == Stage::warp) return v.tile <= 4 && v.ways <= v.tile && v.unroll == 4;
  return v.ways == 1 && (v.stage == Stage::shared || v.unroll == 4);
}
constexpr bool is_listed(const SymmetricVariant& v) {
  return v == symmetric_variant(true) || v == symmetric_variant(false);
}

template <class I, class P>
constexpr TileFacts tile_facts_of() {
  using Stored = typename P::Stored;
  using Computed = typename P::Computed;
  return {has_mutual<I>, sizeof(Stored) == 4 && sizeof(Computed) == 4,
          sizeof(Stored) != sizeof(Computed), I::targets + I::sums, I::sources};
}

#if defined(RIDGE_PAIRS_CPU) || defined(RIDGE_PAIRS_DIRECT) || defined(RIDGE_PAIRS_SYMMETRIC)

#if defined(RIDGE_PAIRS_CPU)
inline constexpr std::array<CpuVariant, 1> demanded_cpu{CpuVariant{RIDGE_PAIRS_CPU}};
#else
inline constexpr std::array<CpuVariant, 0> demanded_cpu{};
#endif
#if defined(RIDGE_PAIRS_DIRECT)
inline constexpr std::array<DirectVariant, 1> demanded_direct{DirectVariant{RIDGE_PAIRS_DIRECT}};
#else
inline constexpr std::array<DirectVariant, 0> demanded_direct{};
#endif
#if defined(RIDGE_PAIRS_SYMMETRIC)
inline constexpr std::array<SymmetricVariant, 1> demanded_symmetric{
    SymmetricVariant{RIDGE_PAIRS_SYMMETRIC}};
#else
inline constexpr std::array<SymmetricVariant, 0> demanded_symmetric{};
#endif

template <class I, class P>
struct CpuList {
  static constexpr auto values = demanded_cpu;
};
template <class I, class P>
struct DirectList {
  static constexpr auto values = demanded_direct;
};
template <class I, class P>
struct SymmetricList {
  static constexpr auto values = demanded_symmetric;
};

#else

template <class I, class P>
struct CpuList {
#if defined(RIDGE_AHEAD_ALL)
  static constexpr std::array values{CpuVariant{1}, CpuVariant{2}, CpuVariant{4}};
#else
  static constexpr std::array values{CpuVariant{1}, CpuVariant{2}};
#endif
};

namespace detail {

/// Some lanes of AMD have half of the registers of others.
#if defined(RIDGE_TARGET_HIP)
inline constexpr bool some_lack_registers = true;
#else
inline constexpr bool some_lack_registers = false;
#endif

/// Variants, each once.
template <class V>
struct Distinct {
  std::array<V, 64> items{};
  std::size_t count = 0;

  constexpr void add(const V& v) {
    for (std::size_t i = 0; i < count; ++i) {
      if (items[i] == v) return;
    }
    items[count++] = v;
  }
};
template <std::size_t N, class V>
constexpr std::array<V, N> first_of(const Distinct<V>& all) {
  std::array<V, N> some{};
  for (std::size_t i = 0; i < N; ++i)
    some[i] = all.items[i];
  return some;
}

constexpr Distinct<DirectVariant> direct_variants(const TileFacts& facts, bool names) {
  Distinct<DirectVariant> all;
  all.add(variant_for_many(facts, true));
  if (some_lack_registers) all.add(variant_for_many(facts, false));
  for (const int widths : {1, 2, 4}) {
    if (widths == 1 || takes_four_of_few(facts)) all.add(variant_for_few(facts, widths));
  }
#if defined(RIDGE_AHEAD_NAMES) || defined(RIDGE_AHEAD_ALL)
  names = true;
#endif
  if (names) {
    for (const DirectVariant& v : {talk_shared, talk_shuffle, talk_both})
      all.add(v);
  }
#if defined(RIDGE_AHEAD_ALL)
  for (const Stage stage : {Stage::shared, Stage::shuffle, Stage::both, Stage::warp}) {
    for (const int tile : {1, 2, 4, 8}) {
      for (const int unroll : {2, 4}) {
        for (const int ways : {1, 2, 4}) {
          const DirectVariant v{stage, tile, unroll, ways};
          if (is_listed(v)) all.add(v);
        }
      }
    }
  }
#endif
  return all;
}

constexpr Distinct<SymmetricVariant> symmetric_variants(const TileFacts& facts) {
#if defined(RIDGE_AHEAD_ALL)
  constexpr bool every = true;
#else
  constexpr bool every = false;
#endif
  Distinct<SymmetricVariant> all;
  if (facts.mutual) all.add(symmetric_variant(false));
  if (facts.mutual && (every || takes_wide_tiles(facts))) all.add(symmetric_variant(true));
  return all;
}

} // namespace detail

template <class I, class P>
struct DirectList {
  static constexpr auto all = detail::direct_variants(tile_facts_of<I, P>(), names_ahead<I, P>);
  static constexpr auto values = detail::first_of<all.count>(all);
};
template <class I, class P>
struct SymmetricList {
  static constexpr auto all = detail::symmetric_variants(tile_facts_of<I, P>());
  static constexpr auto values = detail::first_of<all.count>(all);
};

#endif

} // namespace ridge::pairs
