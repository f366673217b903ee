// Variants of lattice kernels, as data: template parameters of executors and their
// bodies. Which values there are: ridge/lattice/variants.hpp.
#pragma once

#include <ridge/lattice/schedule_fields.hpp>

namespace ridge::lattice {

/// Accesses that a thread replaces one by one: GpuSchedule::items of that number.
inline constexpr int rolling_items = 8;

/// Threads of a block that has the registers for binned sums.
inline constexpr int most_binned_threads = 512;

/// Partial results of a result that a finishing launch adds up in no time; more are folded first.
inline constexpr int easily_finished = 4096;

/// Reductions of fields on a GPU. The most threads of a block, the compiler's bounds, follow from
/// items: 256 for more than 4, else 1024; 512 of binned sums.
struct ReduceVariant {
  int items = 4; ///< accesses of 16 bytes that a thread has under way; rolling_items: one by one
  Passes passes = Passes::fused;
  bool crossed = false; ///< of complex numbers, whose parts meet
  bool binned = false;  ///< sums with the same bits everywhere
  friend constexpr bool operator==(const ReduceVariant&, const ReduceVariant&) = default;
};

/// Variants on the cpu.
struct CpuReduceVariant {
  bool crossed = false, binned = false;
  friend constexpr bool operator==(const CpuReduceVariant&, const CpuReduceVariant&) = default;
};

/// Maps of fields on a GPU; bounds as above.
struct MapVariant {
  int items = 1;
  Store store = Store::plain;
  friend constexpr bool operator==(const MapVariant&, const MapVariant&) = default;
};

/// Expressions and site kernels on a GPU.
struct SiteVariant {
  Components components = Components::threads;
  int bounds = 1024; ///< most threads of a block
  /// Fields of numbers of the loop's size may lie otherwise than the loop goes: where they do is
  /// looked up for each, with a branch between any two loads.
  bool apart = false;
  friend constexpr bool operator==(const SiteVariant&, const SiteVariant&) = default;
};

/// Blocks that the kernels of expressions are compiled for, unless they say otherwise.
inline constexpr int site_bounds = 256;

} // namespace ridge::lattice
