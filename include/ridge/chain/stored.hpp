// Chains of arrays that are stored in 16 bits, their mathematics in fp32.
//
// Stored<C, S> is C on arrays of S: operations see fp32 numbers, and what they set is rounded once,
// whether another operation of the launch or memory takes it. So schedules do not change bits.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/index.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/core/stored.hpp>

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
} // namespace detail

/// The item that an operation computes, as chain::At, in fp32.
template <class At, class S>
class WidenedAt {
public:
  using Stored = typename At::Value;
  using Value = typename detail::ValueOfStored<Stored>::type;

  RIDGE_FN explicit WidenedAt(const At& at) : at_(at) {}

  template <int I, bool P>
  RIDGE_FN Value operator()(Slot<I, P> slot, int dx = 0, int dy = 0, int dz = 0) const {
    if constexpr (is_stored<Element<Stored>>) {
      return widened(at_(slot, dx, dy, dz));
    } else {
      return at_(slot, dx, dy, dz);
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

template <class Op, class S>
struct StoredOperation : Op {
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    static_cast<const Op&> (*this)(WidenedAt<At, S>(at));
  }
};

namespace detail {
template <class Operations, class S>
struct StoredOperations;
template <class... Op, class S>
struct StoredOperations<std::tuple<Op...>, S> {
  using type = std::tuple<StoredOperation<Op, S>...>;
};
} // namespace detail

template <class C, class S>
struct Stored : C {
  static_assert(!scans<C> && !has_elements<C>,
                "columns and elements are not stored in 16 bits: what they hand on is not rounded");
  using All = typename detail::StoredOperations<Operations<C>, S>::type;
  All operations;

  Stored() = default;
  explicit Stored(const C& chain)
      : C(chain), operations(std::apply(
                      [](const auto&... op) {
                        return All{StoredOperation<std::remove_cvref_t<decltype(op)>, S>{op}...};
                      },
                      chain.operations)) {}
};

} // namespace ridge::chain
