// Several sweeps in one pass over memory: what executors take.
#pragma once

#include <ridge/stencil/call.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/shell.hpp>

#include <array>

namespace ridge::stencil {

/// `sweeps` applications of a kernel that evolves, with its boundaries after each. All views have
/// the extents of the shell's field, and hold a filled shell; only the points within the shell of
/// `out` change: out[i] is input i after the sweeps. There are at least as many as time levels.
template <class K, class T>
struct Pass {
  K kernel;
  std::array<View<const T>, inputs_of<K>> in;
  std::array<View<T>, static_cast<std::size_t>(levels_of<K>())> out;
  Shell<T> shell; ///< of in[0]
  bool periodic[3] = {false, false, false};
  int sweeps = 2;
};

} // namespace ridge::stencil
