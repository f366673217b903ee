// What an operation sees of the item it computes.
#pragma once

#include <ridge/chain/placed.hpp>
#include <ridge/chain/window.hpp>
#include <ridge/core/pack.hpp>

namespace ridge::chain::inline RIDGE_TARGET_NAME {

/// What the operations of a run have computed of an item, array by array.
template <class C, class V>
struct Values {
  V of[arrays_of<C>];
};

/// Item (x, y, z) of operation K in the run First to Last; with a pack for V, as many items that
/// follow each other in x. Memory offers extents(), load<V, K, I, Profile, Edges>(x, y, z, Offset)
/// and store<I>(x, y, z, value). Without Edges no neighbour in x lies beyond the ends of the range.
template <class Memory, class V, class C, int First, int K, int Last, bool Edges>
class At : PlaceOf<C> {
public:
  using Value = V;
  using Op = Operation<C, K>;

  RIDGE_FN At(const C& chain, const Memory& memory, Values<C, V>& values, Index x, Index y, Index z)
      : PlaceOf<C>(chain), memory_(memory), values_(values), x_(x), y_(y), z_(z) {}

  /// The value of an array that the operation declares to read, at that distance.
  template <int I, bool P>
  RIDGE_FN V operator()(Slot<I, P>, int dx = 0, int dy = 0, int dz = 0) const {
    static_assert(I < arrays_of<C>, "the chain has no such array");
    static_assert(reads<Op>(I), "the operation does not declare that it reads this array");
    if constexpr (written_in<C>(First, K - 1, I)) {
      return values_.of[I]; // joined runs read of each other the item alone
    } else {
      return memory_.template load<V, K, I, P, Edges>(x_, y_, z_, Offset{dx, dy, dz});
    }
  }

  /// Sets the item of an array that the operation declares to write.
  template <int I>
  RIDGE_FN void set(Slot<I, false>, const V& value) const {
    static_assert(I < arrays_of<C>, "the chain has no such array");
    static_assert(writes<Op>(I), "the operation does not declare that it writes this array");
    values_.of[I] = value;
    if constexpr (outlives<C>(First, Last, I) && !written_in<C>(K + 1, Last, I)) {
      memory_.template store<I>(x_, y_, z_, value);
    }
  }

  /// Indices of the item, of the first of a pack.
  [[nodiscard]] RIDGE_FN Index x() const { return this->along(0, x_); }
  [[nodiscard]] RIDGE_FN Index y() const { return this->along(1, y_); }
  [[nodiscard]] RIDGE_FN Index z() const { return this->along(2, z_); }
  /// The index along x of each item of the pack, as values.
  [[nodiscard]] RIDGE_FN V x_values() const {
    V v(0);
    RIDGE_UNROLL
    for (int i = 0; i < lanes_of<V>; ++i)
      v.set(i, static_cast<Element<V>>(this->along(0, x_ + i)));
    return v;
  }
  /// Whether the neighbour at dx lies before the first item along x.
  [[nodiscard]] RIDGE_FN bool before_x(int dx) const {
    if constexpr (Edges) {
      return x() + dx < 0;
    } else {
      return false;
    }
  }
  /// Items of the range along y.
  [[nodiscard]] RIDGE_FN Index extent_x() const { return this->whole(memory_.extents()).x; }
  [[nodiscard]] RIDGE_FN Index extent_y() const { return this->whole(memory_.extents()).y; }
  [[nodiscard]] RIDGE_FN Index extent_z() const { return this->whole(memory_.extents()).z; }

private:
  const Memory& memory_;
  Values<C, V>& values_;
  Index x_, y_, z_;
};

template <class V, int First, int Last, bool Edges, class C, class Memory, std::size_t... K>
RIDGE_FN void run_operations(const C& chain, const Memory& memory, Index x, Index y, Index z,
                             std::index_sequence<K...>) {
  Values<C, V> values;
  (std::get<static_cast<std::size_t>(First) + K>(chain.operations)(
       At<Memory, V, C, First, First + static_cast<int>(K), Last, Edges>(chain, memory, values, x,
                                                                         y, z)),
   ...);
}

/// The operations First to Last of a chain at one item, or at a pack of them.
template <class V, int First, int Last, bool Edges, class C, class Memory>
RIDGE_FN void run_item(const C& chain, const Memory& memory, Index x, Index y, Index z) {
  run_operations<V, First, Last, Edges>(
      chain, memory, x, y, z,
      std::make_index_sequence<static_cast<std::size_t>(Last - First + 1)>{});
}

} // namespace ridge::chain::inline RIDGE_TARGET_NAME
