// The item that an operation computes, as it sees it.
#pragma once

#include <ridge/chain/elements.hpp>
#include <ridge/chain/placed.hpp>
#include <ridge/chain/window.hpp>
#include <ridge/core/pack.hpp>

namespace ridge::chain::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU) && defined(__x86_64__)
/// Says to compilers that a register has a value that they do not know.
template <class R>
RIDGE_FN void hold(R& value) {
  asm("" : "+v"(value));
}
#elif defined(RIDGE_TARGET_CPU) && defined(__aarch64__)
template <class R>
RIDGE_FN void hold(R& value) {
  asm("" : "+w"(value));
}
#endif

/// A value as an array would hold it: compilers do not contract what made it with what it goes
/// into. So chains that scan have the same bits whichever of their operations run together.
template <class V>
RIDGE_FN V rounded(const V& given) {
  V value = given;
#if defined(RIDGE_TARGET_CUDA) && defined(__CUDA_ARCH__)
  RIDGE_UNROLL
  for (int i = 0; i < lanes_of<V>; ++i) {
    Element<V> one = value[i];
    if constexpr (sizeof(Element<V>) == 8) {
      asm("" : "+d"(one));
    } else {
      asm("" : "+f"(one));
    }
    value.set(i, one);
  }
#elif defined(RIDGE_TARGET_HIP) && defined(__HIP_DEVICE_COMPILE__)
  RIDGE_UNROLL
  for (int i = 0; i < lanes_of<V>; ++i) {
    Element<V> one = value[i];
    asm("" : "+v"(one));
    value.set(i, one);
  }
#elif defined(RIDGE_TARGET_CPU) && (defined(__x86_64__) || defined(__aarch64__))
  using Register = decltype(value.lanes);
  if constexpr (lanes_of < V >> 1 && sizeof(Register) >= 16 && sizeof(Register) <= simd_bytes) {
    hold(value.lanes);
  } else {
    RIDGE_UNROLL
    for (int i = 0; i < lanes_of<V>; ++i) {
      Element<V> one = value[i];
      hold(one);
      value.set(i, one);
    }
  }
#endif
  return value;
}

/// The values that the operations of a run have computed of an item, array by array.
template <class C, class V>
struct Values {
  V of[arrays_of<C>];
};

/// Item (x, y, z) of operation K in the run First to Last; with a pack for V, as many items that
/// follow each other in x. Memory offers extents(), load<V, K, I, Profile, Edges>(x, y, z, Offset)
/// and store<I>(x, y, z, value). Without Edges no neighbour in x lies beyond the ends of the range;
/// of Interior items none does in any dimension.
template <class Memory, class V, class C, int First, int K, int Last, bool Edges,
          bool Interior = false>
class At : PlaceOf<C> {
public:
  using Value = V;
  using Op = Operation<C, K>;
  static constexpr bool interior = Interior;

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
      constexpr bool edges = Edges && !Interior;
      return memory_.template load<V, K, I, P, edges>(x_, y_, z_, Offset{dx, dy, dz});
    }
  }

  /// Sets the item of an array that the operation declares to write.
  template <int I>
  RIDGE_FN void set(Slot<I, false>, const V& value) const {
    static_assert(I < arrays_of<C>, "the chain has no such array");
    static_assert(writes<Op>(I), "the operation does not declare that it writes this array");
    if constexpr (scans<C> || has_elements<C>) {
      values_.of[I] = rounded(value);
    } else {
      values_.of[I] = value;
    }
    if constexpr (outlives<C>(First, Last, I) && !written_in<C>(K + 1, Last, I)) {
      memory_.template store<I>(x_, y_, z_, value);
    }
  }

  /// The sum over the points j along x of the element of matrix[i][j] times the value there, where
  /// i is the item's own point.
  template <int I, bool P, int N>
  RIDGE_FN V contract_x(const Matrix<N>& matrix, Slot<I, P> slot) const {
    check_contraction<0, I, N>();
    if constexpr (!holds_elements) {
      V sum(0);
      for (int j = 0; j < N; ++j)
        sum = sum + matrix.template at<Element<V>>(static_cast<int>(x_), j) *
                        (*this)(slot, j - static_cast<int>(x_));
      return sum;
    } else if constexpr (requires { Memory::whole_rows; }) {
      return memory_.template contract_x<V, K, I>(matrix, (*this)(slot));
    } else {
      return memory_.template contract_x<V, K, I>(matrix, x_, y_);
    }
  }
  /// Along y of the element likewise.
  template <int I, bool P, int N>
  RIDGE_FN V contract_y(const Matrix<N>& matrix, Slot<I, P> slot) const {
    check_contraction<1, I, N>();
    if constexpr (!holds_elements) {
      V sum(0);
      for (int j = 0; j < N; ++j)
        sum = sum + matrix.template at<Element<V>>(static_cast<int>(y_), j) *
                        (*this)(slot, 0, j - static_cast<int>(y_));
      return sum;
    } else if constexpr (requires { Memory::whole_rows; }) {
      return memory_.template contract_y<V, K, I>(matrix, y_, (*this)(slot));
    } else {
      return memory_.template contract_y<V, K, I>(matrix, x_, y_);
    }
  }

  /// Indices of the item, of the first of a pack.
  [[nodiscard]] RIDGE_FN Index x() const { return this->along(0, inside<0>(x_)); }
  [[nodiscard]] RIDGE_FN Index y() const { return this->along(1, inside<1>(y_)); }
  [[nodiscard]] RIDGE_FN Index z() const { return this->along(2, inside<2>(z_)); }
  /// The index along outer dimension D, counted from 0.
  template <int D = 0>
  [[nodiscard]] RIDGE_FN Index outer() const {
    static_assert(D >= 0 && D < outer_of<C>(), "the chain does not declare this outer dimension");
    return memory_.instance().along(D, level());
  }
  /// The index along x of each item of the pack, as values.
  [[nodiscard]] RIDGE_FN V x_values() const {
    V v(0);
    RIDGE_UNROLL
    for (int i = 0; i < lanes_of<V>; ++i)
      v.set(i, static_cast<Element<V>>(this->along(0, inside<0>(x_ + i))));
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
  /// Whether the item is the first, or the last, of its column, which lies along the last
  /// dimension.
  [[nodiscard]] RIDGE_FN bool first() const {
    return level() == domain_of<Op>().begin.along(column);
  }
  [[nodiscard]] RIDGE_FN bool last() const {
    const Index3& n = memory_.extents();
    const Index extent = column == 0 ? n.x : column == 1 ? n.y : n.z;
    return level() == extent + domain_of<Op>().end.along(column) - 1;
  }
  /// Items of the range along x, y and z.
  [[nodiscard]] RIDGE_FN Index extent_x() const {
    return within<0>(this->whole(memory_.extents()).x);
  }
  [[nodiscard]] RIDGE_FN Index extent_y() const {
    return within<1>(this->whole(memory_.extents()).y);
  }
  [[nodiscard]] RIDGE_FN Index extent_z() const {
    return within<2>(this->whole(memory_.extents()).z);
  }

private:
  static constexpr bool holds_elements = requires { Memory::holds_elements; };
  template <int D, int I, int N>
  static constexpr void check_contraction() {
    static_assert(dimension_of<C>(D).points == N,
                  "the matrix has other points than the dimension: declare it points(N)");
    static_assert(reads<Op>(I), "the operation does not declare that it reads this array");
    static_assert(!writes<Op>(I), "an operation contracts what it writes: write another array");
    static_assert(!C::arrays[I].profile, "a profile has no points along x");
  }
  static constexpr int column = column_dimension<C>;
  [[nodiscard]] RIDGE_FN Index level() const { return column == 0 ? x_ : column == 1 ? y_ : z_; }
  /// Where instances follow each other along dimension D: the place in one, and its extent.
  template <int D>
  [[nodiscard]] RIDGE_FN Index inside(Index i) const {
    if constexpr (outer_of<C>() > 0 && D == column) {
      return memory_.instance().inside(i);
    } else {
      return i;
    }
  }
  template <int D>
  [[nodiscard]] RIDGE_FN Index within(Index extent) const {
    if constexpr (outer_of<C>() > 0 && D == column) {
      const Index wrap = memory_.instance().wrap;
      return wrap < extent ? wrap : extent;
    } else {
      return extent;
    }
  }

  const Memory& memory_;
  Values<C, V>& values_;
  Index x_, y_, z_;
};

/// Operation K at an item. Memory of runs that scan also offers load_carry<V, N>(x, y) and
/// store_carry<N>(x, y, value): of a column, value N of those that the run hands on.
template <int First, int K, int Last, bool Edges, bool Interior = false, class V, class C,
          class Memory>
RIDGE_FN void run_one(const C& chain, const Memory& memory, Values<C, V>& values, Index x, Index y,
                      Index z) {
  const At<Memory, V, C, First, K, Last, Edges, Interior> at(chain, memory, values, x, y, z);
  const auto& operation = std::get<static_cast<std::size_t>(K)>(chain.operations);
  constexpr int count = carried_by<Operation<C, K>>();
  if constexpr (count > 0) {
    constexpr int before = carried_in<C>(First, K - 1);
    V carry[count];
    [&]<int... N>(std::integer_sequence<int, N...>) {
      ((carry[N] = memory.template load_carry<V, before + N>(x, y)), ...);
      operation(at, carry);
      (memory.template store_carry<before + N>(x, y, carry[N]), ...);
    }
    (std::make_integer_sequence<int, count>{});
  } else {
    operation(at);
  }
}

template <class V, int First, int Last, bool Edges, bool Interior, class C, class Memory,
          std::size_t... K>
RIDGE_FN void run_operations(const C& chain, const Memory& memory, Index x, Index y, Index z,
                             std::index_sequence<K...>) {
  Values<C, V> values;
  (run_one<First, First + static_cast<int>(K), Last, Edges, Interior>(chain, memory, values, x, y,
                                                                      z),
   ...);
}

/// The operations First to Last of a chain at one item, or at a pack of them.
template <class V, int First, int Last, bool Edges, bool Interior = false, class C, class Memory>
RIDGE_FN void run_item(const C& chain, const Memory& memory, Index x, Index y, Index z) {
  run_operations<V, First, Last, Edges, Interior>(
      chain, memory, x, y, z,
      std::make_index_sequence<static_cast<std::size_t>(Last - First + 1)>{});
}

} // namespace ridge::chain::inline RIDGE_TARGET_NAME
