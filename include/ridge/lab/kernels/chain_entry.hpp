// Entries of a header in ridge/lab/kernels/chain: facts of its chains beside their mathematics. All
// that the command, the library and Python know of them comes from there (docs/kernels.md).
//
// The compilers of all device kinds see these headers: an entry holds plain data and a function
// that makes the chain, and checks nothing.
#pragma once

#include <ridge/chain/operation.hpp>

namespace ridge::lab {

/// Entries. A header names them in namespace ridge::lab::built_in by `using NAME = Chains<...>;`.
/// Each such name is compiled as a source of its own.
template <class... Entries>
struct Chains {};

/// A chain of inputs, temporaries and one output, the last array, for bench, schedules, tune,
/// doctor and Python. An entry adds `name` and `meaning`, if it likes a function `default_size`,
/// and replaces what is not as it is here.
template <class C>
struct ChainEntry {
  using Chain = C;
  static C make() { return {}; }
  /// Whether the build compiles it for both precisions.
  static constexpr bool ahead = true;
};

} // namespace ridge::lab
