// Entries of a header in ridge/lab/kernels/lattice: facts of its reductions and maps beside their
// mathematics: all that the command, the library and Python know of them comes from there
// (docs/kernels.md).
//
// The compilers of all device kinds see these headers: an entry holds plain data and a function
// that makes the functor, and checks nothing.
#pragma once

#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduction.hpp>

namespace ridge::lab {

/// Entries. A header names them in namespace ridge::lab::built_in by `using NAME = OnFields<...>;`.
/// Each such name is compiled as a source of its own.
template <class... Entries>
struct OnFields {};

/// A reduction or a map for bench, lab, schedules, tune, doctor and Python. An entry adds `name`,
/// `meaning` and
///   template <class T> static FUNCTOR make();
/// the functor for fields of float or double, and replaces what is not as it is here.
struct FieldEntry {
  static constexpr bool slices = false;       ///< a result for each slice of the last dimension
  static constexpr bool reproducible = false; ///< the same bits on every device
  /// Whether the whole table of `ridge lab` has a row of it.
  static constexpr bool in_lab = false;
  /// Whether the build compiles it for both; what the library itself offers is.
  static constexpr bool ahead = true;
};

} // namespace ridge::lab
