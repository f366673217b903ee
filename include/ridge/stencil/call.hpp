// One application of a stencil kernel: the kernel, the fields it reads and the field it writes.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/stencil/kernel.hpp>

#include <array>

namespace ridge::stencil {

/// All views have the same extents; only points at least a radius from every edge change. While a
/// launch runs nothing else may write to `out`, also not to its other points: a GPU may write back
/// what those hold, and what lies between its rows, within the same 32 bytes as points that change.
template <class K, class T>
struct Call {
  K kernel;
  std::array<View<const T>, inputs_of<K>> in;
  View<T> out;
};

} // namespace ridge::stencil
