// One application of a stencil kernel: the kernel, the fields it reads and the field it writes.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/variants.hpp>

#include <array>
#include <cstdint>

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

/// The weakest alignment among the fields' rows.
template <class K, class T>
[[nodiscard]] Rows rows_of(const Call<K, T>& call) {
  Rows rows = Rows::lines;
  const auto look = [&](const T* data, Index row, Index plane) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data) |
                       static_cast<std::uintptr_t>(row) * sizeof(T) |
                       static_cast<std::uintptr_t>(plane) * sizeof(T);
    const Rows mine = begin % 128 == 0  ? Rows::lines
                      : begin % 16 == 0 ? Rows::packs
                                        : Rows::anywhere;
    rows = mine > rows ? mine : rows;
  };
  for (const auto& in : call.in)
    look(in.data, in.row, in.plane);
  look(call.out.data, call.out.row, call.out.plane);
  return rows;
}

} // namespace ridge::stencil
