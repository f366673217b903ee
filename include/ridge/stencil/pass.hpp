// Several sweeps in one pass over memory: what executors take.
#pragma once

#include <ridge/stencil/call.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/shell.hpp>

#include <array>

namespace ridge::stencil {

/// Other ranks' part in the planes at both ends of a field in z. What this rank needs of them they
/// store in its memory, and what they need of it is stored in theirs as it is computed.
struct PassNeighbours {
  struct Side {
    Index theirs = 0;      ///< planes from the end on that others compute: no results of this pass
    Index needed = 0;      ///< planes of results that follow these, and that others need
    Index further[2] = {}; ///< elements from a result of out[i] to where the other rank has it
  };
  Side low, high;
};

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
  PassNeighbours neighbours = {}; ///< of GPUs alone, where no kernel has more than two levels
};

/// Whether points beyond some face change from sweep to sweep.
template <class K, class T>
[[nodiscard]] bool has_moving_faces(const Pass<K, T>& pass) {
  const Index3 n = pass.shell.field.extents;
  const auto& axes = pass.shell.axes;
  return axes[0].points != n.x || axes[1].points != n.y || axes[2].points != n.z;
}

} // namespace ridge::stencil
