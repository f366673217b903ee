// Chains of arrays that are stored in 16 bits, their mathematics in fp32.
//
// Stored<C, S> is C on arrays of S: operations see fp32 numbers, and what they set is rounded once,
// whether another operation of the launch or memory takes it. So schedules do not change bits.
// Inputs may stay fp32: each is two arrays then, of the high and the low halves of its numbers.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/halves.hpp>
#include <ridge/core/index.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/core/stored.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>

namespace ridge::chain {

namespace detail {
template <class V>
struct ValueOfStored { // the reference's own numbers
  using type = V;
};
template <class V>
requires is_stored<Element<V>>
struct ValueOfStored<V> {
  using type = WidenedPack<V>;
};
/// Arrays of a chain that stay fp32.
constexpr bool is_wide(unsigned wide, int array) {
  return array < 32 && (wide >> array & 1U) != 0;
}
/// How many of the arrays before number `end` do.
constexpr int wide_before(unsigned wide, int end) {
  int count = 0;
  for (int a = 0; a < end; ++a)
    count += is_wide(wide, a) ? 1 : 0;
  return count;
}
} // namespace detail

/// The array of Stored<C, S, Wide> that has the low halves of array `array` of C, which has so
/// many.
constexpr int low_halves(unsigned wide, int arrays, int array) {
  return arrays + detail::wide_before(wide, array);
}

/// The item that an operation computes, as chain::At, in fp32. Of `Arrays` arrays those whose bits
/// `Wide` has are stored in halves.
template <class At, class S, unsigned Wide, int Arrays>
class WidenedAt {
public:
  using Stored = typename At::Value;
  using Value = typename detail::ValueOfStored<Stored>::type;

  RIDGE_FN explicit WidenedAt(const At& at) : at_(at) {}

  template <int I, bool P>
  RIDGE_FN Value operator()(Slot<I, P> slot, int dx = 0, int dy = 0, int dz = 0) const {
    if constexpr (!is_stored<Element<Stored>>) {
      return at_(slot, dx, dy, dz);
    } else if constexpr (detail::is_wide(Wide, I)) {
      return joined(at_(slot, dx, dy, dz), at_(Slot<low_halves(Wide, Arrays, I)>{}, dx, dy, dz));
    } else {
      return widened(at_(slot, dx, dy, dz));
    }
  }
  template <int I>
  RIDGE_FN void set(Slot<I, false> slot, const Value& value) const {
    if constexpr (is_stored<Element<Stored>>) {
      at_.set(slot, rounded_to<S>(value));
    } else if constexpr (requires(Value v) { v.bound; }) { // what rounding may change
      const double size = value[0] < 0 ? -value[0] : value[0];
      at_.set(slot, Value(value[0],
                          value.bound + stored_unit<S> * (size + value.bound) + stored_least<S>));
    } else {
      at_.set(slot, value);
    }
  }

  [[nodiscard]] RIDGE_FN Index x() const { return at_.x(); }
  [[nodiscard]] RIDGE_FN Index y() const { return at_.y(); }
  [[nodiscard]] RIDGE_FN Index z() const { return at_.z(); }
  [[nodiscard]] RIDGE_FN Value x_values() const {
    Value v(0);
    RIDGE_UNROLL
    for (int i = 0; i < lanes_of<Value>; ++i)
      v.set(i, static_cast<Element<Value>>(at_.x() + i));
    return v;
  }
  [[nodiscard]] RIDGE_FN bool before_x(int dx) const { return at_.before_x(dx); }
  [[nodiscard]] RIDGE_FN bool first() const { return at_.first(); }
  [[nodiscard]] RIDGE_FN bool last() const { return at_.last(); }
  [[nodiscard]] RIDGE_FN Index extent_x() const { return at_.extent_x(); }
  [[nodiscard]] RIDGE_FN Index extent_y() const { return at_.extent_y(); }
  [[nodiscard]] RIDGE_FN Index extent_z() const { return at_.extent_z(); }

private:
  const At& at_;
};

namespace detail {
template <class Op>
constexpr int wide_reads(unsigned wide) {
  int count = 0;
  for (const Access& a : Op::accesses)
    count += !a.writes && is_wide(wide, a.array) ? 1 : 0;
  return count;
}
/// Where an operation reads a number that is stored in halves, it reads both.
template <class Op, unsigned Wide, int Arrays>
constexpr auto accesses_of_halves() {
  std::array<Access, Op::accesses.size() + static_cast<std::size_t>(wide_reads<Op>(Wide))> all{};
  std::size_t next = 0;
  for (const Access& a : Op::accesses)
    all[next++] = a;
  for (const Access& a : Op::accesses) {
    if (!a.writes && is_wide(Wide, a.array))
      all[next++] = {low_halves(Wide, Arrays, a.array), false, false, a.reach};
  }
  return all;
}
} // namespace detail

namespace detail {
/// The type that items hand on, of operations that do.
template <class Op, class V>
struct HandedOf {};
template <class Op, class V>
requires hands_on<Op, V> //
struct HandedOf<Op, V> {
  using type = typename Op::template Handed<V>;
};
} // namespace detail

template <class Op, class S, unsigned Wide, int Arrays>
struct StoredOperation : Op {
  static constexpr auto accesses = detail::accesses_of_halves<Op, Wide, Arrays>();

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    static_cast<const Op&>(*this)(WidenedAt<At, S, Wide, Arrays>(at));
  }

  /// Values that items hand on stay fp32: they are in no array.
  template <class V>
  using Handed = typename detail::HandedOf<Op, typename detail::ValueOfStored<V>::type>::type;
  template <class At>
  [[nodiscard]] RIDGE_FN auto before(const At& at) const {
    return Op::before(WidenedAt<At, S, Wide, Arrays>(at));
  }
  template <class At>
  RIDGE_FN void operator()(const At& at, Handed<typename At::Value>& handed) const {
    static_cast<const Op&>(*this)(WidenedAt<At, S, Wide, Arrays>(at), handed);
  }
};

namespace detail {
template <class Operations, class S, unsigned Wide, int Arrays>
struct StoredOperations;
template <class... Op, class S, unsigned Wide, int Arrays>
struct StoredOperations<std::tuple<Op...>, S, Wide, Arrays> {
  using type = std::tuple<StoredOperation<Op, S, Wide, Arrays>...>;
};
/// The arrays of C, and the low halves of those that stay fp32, by the same names.
template <class C, unsigned Wide>
constexpr auto arrays_and_halves() {
  std::array<Array, static_cast<std::size_t>(arrays_of<C> + wide_before(Wide, arrays_of<C>))> all{};
  std::size_t next = 0;
  for (const Array& array : C::arrays)
    all[next++] = array;
  for (int a = 0; a < arrays_of<C>; ++a) {
    if (is_wide(Wide, a)) all[next++] = C::arrays[static_cast<std::size_t>(a)];
  }
  return all;
}
template <class C>
constexpr bool all_inputs(unsigned wide) {
  for (int a = 0; a < arrays_of<C>; ++a) {
    const Array& array = C::arrays[static_cast<std::size_t>(a)];
    if (is_wide(wide, a) && (array.role != Role::input || array.profile)) return false;
  }
  return true;
}
} // namespace detail

/// C on arrays of S, but for inputs whose bits `Wide` has.
template <class C, class S, unsigned Wide = 0>
struct Stored : C {
  static_assert(!scans<C> && !has_elements<C>,
                "columns and elements are not stored in 16 bits: what they hand on is not rounded");
  static_assert(detail::all_inputs<C>(Wide), "inputs alone stay fp32 beside arrays of 16 bits");
  static constexpr int own_arrays = arrays_of<C>;
  static constexpr unsigned wide = Wide;
  static constexpr auto arrays = detail::arrays_and_halves<C, Wide>();
  using All = typename detail::StoredOperations<Operations<C>, S, Wide, own_arrays>::type;
  All operations;

  Stored() = default;
  explicit Stored(const C& chain)
      : C(chain),
        operations(std::apply(
            [](const auto&... op) {
              return All{
                  StoredOperation<std::remove_cvref_t<decltype(op)>, S, Wide, own_arrays>{op}...};
            },
            chain.operations)) {}
};

/// The arrays of a chain whose numbers it computes with: not the low halves of others.
template <class C>
constexpr int numbered_arrays() {
  if constexpr (requires { C::own_arrays; }) {
    return C::own_arrays;
  } else {
    return arrays_of<C>;
  }
}
/// Those of them that are stored in halves.
template <class C>
constexpr unsigned wide_arrays() {
  if constexpr (requires { C::wide; }) {
    return C::wide;
  } else {
    return 0;
  }
}

} // namespace ridge::chain
