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

/// Whether points beyond some face change from sweep to sweep.
template <class K, class T>
[[nodiscard]] bool has_moving_faces(const Pass<K, T>& pass) {
  const Index3 n = pass.shell.field.extents;
  const auto& axes = pass.shell.axes;
  return axes[0].points != n.x || axes[1].points != n.y || axes[2].points != n.z;
}

} // namespace ridge::stencil
