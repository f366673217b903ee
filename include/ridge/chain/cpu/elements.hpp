// Runs of operations on a cpu over elements: all points of one at a time, in packs along x. What
// operations pass on stays in registers, or on the stack where they are too few.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/cpu/needs.hpp>
#include <ridge/chain/cpu/row.hpp>
#include <ridge/chain/elements.hpp>
#include <ridge/chain/region.hpp>

#include <cstdint>
#include <utility>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

/// Lanes of the packs that N points of T are computed in: a power of two that divides them.
template <class T, int N>
constexpr int element_width() {
  int width = 1;
  while (N % (2 * width) == 0 && 2 * width <= lanes_of<NativePack<T>>)
    width *= 2;
  return width;
}

/// One element for the run First to Last.
template <class C, class T, int First, int Last, bool Checked>
struct ElementMemory {
  static constexpr bool holds_elements = true;
  static constexpr int points_x = dimension_of<C>(0).points;
  static constexpr int points_y = dimension_of<C>(1).points > 0 ? dimension_of<C>(1).points : 1;
  static constexpr int width = element_width<T, points_x>();
  static constexpr int parts = points_x / width; ///< packs of a row
  using Value = Pack<T, width, abi::Native>;
  using N = Needs<C, First, Last>;

  const Windows<C, T>& windows;
  Index3 n;
  Values<C, Value>* packs; ///< of all rows of the element, `parts` a row
  const T* from[arrays_of<C>];
  T* to[arrays_of<C>];
  Index row[arrays_of<C>];
  Put put[arrays_of<C>];
  [[no_unique_address]] InstanceOf<C> where;

  /// At the element that begins at (0, y, z).
  RIDGE_FN ElementMemory(const Memory<C, T, Checked>& memory, Values<C, Value>* packs_, Index y,
                         Index z, bool everything)
      : windows(memory.windows), n(memory.n), packs(packs_), where(memory.instance) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (find<I>(y, z, everything), ...);
    }
    (std::make_integer_sequence<int, arrays_of<C>>{});
  }

  [[nodiscard]] RIDGE_FN const Index3& extents() const { return n; }
  [[nodiscard]] RIDGE_FN const InstanceOf<C>& instance() const { return where; }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_FN V load(Index x, Index y, Index z, Offset o) const {
    if constexpr (Checked) {
      if (!within_reach<C, K, I>(o)) undeclared(Operation<C, K>::name, C::arrays[I].name, o);
    }
    const T* at = from[I] + in_element(y) * row[I];
    if (!(o == Offset{})) {
      const Window<T>& w = windows.of[I];
      const Index3 p = resolve<C, T, Profile, false>(w, 0, y, z, o);
      at = w.data + w.at(0, p.y, p.z) + (Profile ? 0 : o.x);
    }
    if constexpr (Profile) {
      return V(*at);
    } else {
      return V::load(at + x);
    }
  }
  template <int I, class V>
  RIDGE_FN void store(Index x, Index y, Index /*z*/, const V& value) const {
    if (put[I] == Put::nothing) return;
    T* const at = to[I] + in_element(y) * row[I] + x;
    if constexpr (width > 1) {
      if (put[I] == Put::stream && reinterpret_cast<std::uintptr_t>(at) % sizeof(V) == 0) {
        value.stream(at);
        return;
      }
    }
    value.store(at);
  }

  /// The pack of an array at row `y` of the element: what the run has written before operation K,
  /// or what lies in memory.
  template <int K, int I>
  [[nodiscard]] RIDGE_FN Value pack(Index y, int part) const {
    if constexpr (written_in<C>(First, K - 1, I)) {
      return packs[y * parts + part].of[I];
    } else {
      return Value::load(from[I] + y * row[I] + part * width);
    }
  }
  template <class V, int K, int I>
  [[nodiscard]] RIDGE_FN V contract_x(const Matrix<points_x>& m, Index x, Index y) const {
    V sum(0);
    RIDGE_UNROLL
    for (int j = 0; j < points_x; ++j)
      sum = sum + V::load(m.template column<T>(j) + x) *
                      V(pack<K, I>(in_element(y), j / width)[j % width]);
    return sum;
  }
  template <class V, int K, int I>
  [[nodiscard]] RIDGE_FN V contract_y(const Matrix<points_y>& m, Index x, Index y) const {
    V sum(0);
    RIDGE_UNROLL
    for (int j = 0; j < points_y; ++j)
      sum = sum + V(m.template at<T>(static_cast<int>(y), j)) *
                      pack<K, I>(j, static_cast<int>(x) / width);
    return sum;
  }

private:
  /// Rows are numbered within the element where y is one of its dimensions.
  [[nodiscard]] static RIDGE_FN Index in_element(Index y) { return points_y > 1 ? y : 0; }

  template <int I>
  RIDGE_FN void find(Index y, Index z, bool everything) {
    const Window<T>& w = windows.of[I];
    row[I] = w.row;
    if constexpr (read_in<C>(First, Last, I)) from[I] = w.data + w.at(0, y, z);
    if constexpr (N::stores(I)) {
      to[I] = w.data + w.at(0, y, z);
      put[I] = !everything && !w.local ? Put::nothing : w.stream ? Put::stream : Put::plain;
    }
  }
};

/// Operation K on all packs of an element.
template <int First, int K, int Last, class C, class M>
RIDGE_FN void run_on_element(const C& chain, const M& memory, Index y, Index z) {
  const auto one = [&](int r, int p) {
    run_one<First, K, Last, false>(chain, memory, memory.packs[r * M::parts + p],
                                   Index{p} * M::width, M::points_y > 1 ? Index{r} : y, z);
  };
  if constexpr (M::points_y * M::parts <= 8) { // numbers of packs are constants: they are registers
    [&]<int... P>(std::integer_sequence<int, P...>) {
      (one(P / M::parts, P % M::parts), ...);
    }
    (std::make_integer_sequence<int, M::points_y * M::parts>{});
  } else {
    for (int r = 0; r < M::points_y; ++r) {
      for (int p = 0; p < M::parts; ++p)
        one(r, p);
    }
  }
}

/// The elements of `box`; those outside `own` are only written to what the tile keeps.
template <int First, int Last, class C, class T, bool Checked>
void run_elements(const C& original, const Memory<C, T, Checked>& memory, const Box& box,
                  const Box& own) {
  using M = ElementMemory<C, T, First, Last, Checked>;
  const C chain = original;
  Values<C, typename M::Value> packs[M::points_y * M::parts];
  for (Index z = box.begin[2]; z < box.end[2]; ++z) {
    for (Index y = box.begin[1]; y < box.end[1]; y += M::points_y) {
      const bool mine = y >= own.begin[1] && y < own.end[1] && z >= own.begin[2] && z < own.end[2];
      const M element(memory, packs, y, z, mine);
      [&]<int... K>(std::integer_sequence<int, K...>) {
        (run_on_element<First, First + K, Last>(chain, element, y, z), ...);
      }
      (std::make_integer_sequence<int, Last - First + 1>{});
    }
  }
}

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME
