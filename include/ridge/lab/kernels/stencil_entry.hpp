// Entries of a header in ridge/lab/kernels/stencil: facts of its kernels beside their mathematics.
// All that the command, the library and Python know of them comes from there (docs/kernels.md).
//
// The compilers of all device kinds see these headers: an entry holds plain data and functions that
// make kernels, and checks nothing.
#pragma once

#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace ridge::stencil {
template <class K, class T>
struct Call;
template <class K, class T>
struct Pass;
} // namespace ridge::stencil

namespace ridge::lab {

/// Entries. A header names them in namespace ridge::lab::built_in by `using NAME = Stencils<...>;`.
/// Each such name is compiled as a source of its own.
template <class... Entries>
struct Stencils {};

/// Launches that are compiled ahead: stencil::Call is one sweep, stencil::Pass several in one pass
/// over memory. All others are compiled when they are asked for.
template <class... Calls>
struct Ahead {};
/// Single sweeps of kernels in both precisions.
template <class... K>
using AheadOf = Ahead<stencil::Call<K, float>..., stencil::Call<K, double>...>;

/// The least number of dimensions that have all points of K's footprint.
template <class K>
constexpr int rank_of() {
  constexpr stencil::Offset r = stencil::radius_of<K>();
  return r.z > 0 ? 3 : r.y > 0 ? 2 : 1;
}

/// A stencil for bench, apply, schedules, model, tune, doctor and Python. An entry adds `name` and
/// `meaning`, and replaces what is not as it is here.
template <class K>
struct StencilEntry {
  /// The kernel for fields of so many dimensions, and which numbers of dimensions there are.
  template <int Rank>
  using Kernel = K;
  static constexpr int least_rank = rank_of<K>(), most_rank = 3;
  /// The kernel on a grid of this spacing. Of kernels that know no spacing, as it is.
  template <int Rank>
  static Kernel<Rank> make(stencil::Spacing /*h*/) {
    return {};
  }
  /// Whether the spacing must be the same along all axes.
  static constexpr bool equal_spacing = false;
  /// Whether the whole table of `ridge lab` has a row of it.
  static constexpr bool in_lab = false;
  using ahead = AheadOf<K>;
};

/// A stencil that gives the next value of its first input, for evolve and, where it is `benched`,
/// bench: `name`, `meaning`; `value`, what the physical number is that it takes; and
///   template <int Rank> static double stable_step(Spacing h, double value);
///   template <int Rank> static KERNEL make(Spacing h, double value, double dt);
/// With two time levels, also `at_rest`, made as by make: the kernel that gives the level before a
/// start at rest in one sweep. With `absorbing`, made likewise: the kernel of layers that absorb,
/// which reads their friction as another input.
struct EvolvingEntry {
  static constexpr int least_rank = 1, most_rank = 3;
  static constexpr bool benched = true;
  using ahead = Ahead<>;
};

/// One of four texts for an order of 2, 4, 6 or 8.
template <int Order>
constexpr const char* by_order(const char* two, const char* four, const char* six,
                               const char* eight) {
  return Order == 2 ? two : Order == 4 ? four : Order == 6 ? six : eight;
}

} // namespace ridge::lab
