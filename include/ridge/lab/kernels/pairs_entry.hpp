// Entries of a header in ridge/lab/kernels/pairs: facts of its interactions beside their
// mathematics. All that the command, the library and Python know of them comes from there
// (docs/kernels.md).
//
// The compilers of all device kinds see these headers: an entry holds plain data and a function
// that makes the interaction, and checks nothing.
#pragma once

#include <ridge/pairs/interaction.hpp>
#include <ridge/pairs/precision.hpp>

namespace ridge::lab {

/// Entries. A header names them in namespace ridge::lab::built_in by
/// `using NAME = Interactions<...>;`. Each such name is compiled as a source of its own.
template <class... Entries>
struct Interactions {};

/// Precisions that are compiled with the build; others are when they are asked for.
template <class... P>
struct Precisions {};

/// Precisions of an entry that another name has, as a source of its own.
template <class Entry, class... P>
struct AlsoAhead {};

/// Sums of an entry within a cutoff, by lists of near pairs, as a source of its own.
template <class Entry, class... P>
struct NearAhead {};

/// An interaction for bench, lab, schedules, tune, doctor and Python. An entry adds `name` and
/// `meaning`, and replaces what is not as it is here.
template <class I>
struct InteractionEntry {
  using Interaction = I;
  static I make() { return {}; }
  /// Whether it is benched on atoms that keep off each other, not on bodies anywhere.
  static constexpr bool keeps_off = false;
  /// Whether the whole table of `ridge lab` has a row of it.
  static constexpr bool in_lab = false;
  using ahead = Precisions<pairs::Fp32, pairs::Fp64>;
};

} // namespace ridge::lab
