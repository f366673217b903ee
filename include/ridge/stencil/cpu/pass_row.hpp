// One row of a pass: the kernel on rows that lie anywhere.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/stencil/cpu/executor.hpp>
#include <ridge/stencil/kernel.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ridge::stencil::cpu {

using ridge::cpu::Range;

/// Pointers to the rows around a point that K's footprints read, of every input.
template <class K, class T>
class PassRows {
public:
  static constexpr Offset reach = radius_of<K>();
  static constexpr int rows_y = 2 * reach.y + 1;
  static constexpr int rows_z = 2 * reach.z + 1;
  static constexpr std::size_t most_planes = std::max(rows_y, rows_z); ///< read along a march

  /// `row(input, dy, dz)` is the beginning of that neighbour's row.
  template <class Row>
  explicit PassRows(const Row& row) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (take<I>(row), ...);
    }
    (std::make_index_sequence<inputs_of<K>>{});
  }

  /// Goes on to the rows after these: `stride(input, dy, dz)` away.
  template <class Stride>
  void advance(const Stride& stride) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (advance_input<I>(stride, std::make_index_sequence<footprint_of<K, I>.offsets.size()>{}),
       ...);
    }
    (std::make_index_sequence<inputs_of<K>>{});
  }

  /// Along the march, of input `input`.
  static int radius(int input, bool along_y) {
    int found = 0;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((found = static_cast<int>(I) == input
                    ? (along_y ? footprint_of<K, I>.radius().y : footprint_of<K, I>.radius().z)
                    : found),
       ...);
    }
    (std::make_index_sequence<inputs_of<K>>{});
    return found;
  }

  template <class V>
  struct Neighbours {
    const T* const* rows;
    Index x;
    RIDGE_FN V operator()(int dx, int dy = 0, int dz = 0) const {
      return V::load(rows[(dz + reach.z) * rows_y + dy + reach.y] + x + dx);
    }
  };

  template <class V>
  RIDGE_FN V evaluate(const K& kernel, Index x) const {
    return evaluate<V>(kernel, x, std::make_index_sequence<inputs_of<K>>{});
  }

private:
  template <class V, std::size_t... I>
  RIDGE_FN V evaluate(const K& kernel, Index x, std::index_sequence<I...>) const {
    return V(kernel(Neighbours<V>{rows_[I].data(), x}...));
  }
  /// Whether no offset before P of input I reads the same row.
  template <std::size_t I, std::size_t P>
  static constexpr bool is_first() {
    for (std::size_t q = 0; q < P; ++q) {
      const Offset& a = footprint_of<K, I>.offsets[q];
      const Offset& b = footprint_of<K, I>.offsets[P];
      if (a.y == b.y && a.z == b.z) return false;
    }
    return true;
  }
  template <std::size_t I, class Stride, std::size_t... P>
  void advance_input(const Stride& stride, std::index_sequence<P...>) {
    const auto one = [&]<std::size_t Q>(std::integral_constant<std::size_t, Q>) {
      constexpr Offset o = footprint_of<K, I>.offsets[Q];
      if constexpr (is_first<I, Q>())
        rows_[I][static_cast<std::size_t>((o.z + reach.z) * rows_y + o.y + reach.y)] +=
            stride(static_cast<int>(I), o.y, o.z);
    };
    (one(std::integral_constant<std::size_t, P>{}), ...);
  }
  template <std::size_t I, class Row>
  void take(const Row& row) {
    for (const Offset& o : footprint_of<K, I>.offsets)
      rows_[I][static_cast<std::size_t>((o.z + reach.z) * rows_y + o.y + reach.y)] =
          row(static_cast<int>(I), o.y, o.z);
  }

  std::array<std::array<const T*, static_cast<std::size_t>(rows_y* rows_z)>, inputs_of<K>> rows_{};
};

/// Points [begin, end) of a row of results. The kernel is a copy, so that no store can change its
/// numbers.
template <bool Stream, class K, class T>
void compute_row(const K kernel, const PassRows<K, T> rows, T* out, Index begin, Index end) {
  using One = Pack<T, 1, abi::Native>;
  using Few = Pack<T, std::min(simd_bytes, 32) / static_cast<int>(sizeof(T)), abi::Native>;
  // Whole registers: what is read lies in the caches.
  using Vector = Pack<T, simd_bytes / static_cast<int>(sizeof(T)), abi::Native>;
  constexpr Index line = line_bytes / static_cast<Index>(sizeof(T));
  constexpr int count = static_cast<int>(line) / lanes_of<Vector>;
  // Less than a line: the last vector computes points of the one before again.
  const auto part = [&](Index from, Index to) {
    constexpr Index width = lanes_of<Few>;
    if (to - from >= width) {
      for (Index x = from; x < to; x += width) {
        const Index at = std::min(x, to - width);
        rows.template evaluate<Few>(kernel, at).store(out + at);
      }
    } else {
      for (Index x = from; x < to; ++x)
        rows.template evaluate<One>(kernel, x).store(out + x);
    }
  };
  const Index misfit = misfit_of(out + begin);
  Index x = std::min(end, begin + (misfit == 0 ? 0 : line - misfit));
  part(begin, x);
  for (; x + line <= end; x += line) {
    Vector result[count];
    RIDGE_UNROLL
    for (int i = 0; i < count; ++i)
      result[i] = rows.template evaluate<Vector>(kernel, x + i * lanes_of<Vector>);
    RIDGE_UNROLL
    for (int i = 0; i < count; ++i) {
      if constexpr (Stream) {
        result[i].stream(out + x + i * lanes_of<Vector>);
      } else {
        result[i].store(out + x + i * lanes_of<Vector>);
      }
    }
  }
  part(x, end);
}

} // namespace ridge::stencil::cpu
