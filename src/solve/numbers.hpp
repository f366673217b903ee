// Some neighbouring numbers of a solver's vectors, as operations see them
// (ridge/solve/vector_ops.hpp).
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/view.hpp>

#if !defined(RIDGE_TARGET_CPU)
#include <ridge/device/lane.hpp>
#endif

namespace ridge::solve {

inline namespace RIDGE_TARGET_NAME {

/// Numbers of another type.
template <class T, class V>
RIDGE_FN auto narrowed_pack(const V& v) {
  if constexpr (std::is_same_v<T, Element<V>>) {
    return v;
  } else {
    Pack<T, lanes_of<V>> to;
    for (int i = 0; i < lanes_of<V>; ++i)
      to.set(i, static_cast<T>(v[i]));
    return to;
  }
}

#if defined(RIDGE_TARGET_CPU)

template <int N>
struct Numbers {
  Index first;
  template <class T>
  RIDGE_FN auto load(const Span<T>& x) const {
    return Pack<std::remove_const_t<T>, N>::load(x.data + first);
  }
  template <class T, class V>
  RIDGE_FN void store(const Span<T>& x, const V& v) const {
    v.store(x.data + first);
  }
  template <class T, class V>
  RIDGE_FN auto narrowed(const V& v) const {
    return narrowed_pack<T>(v);
  }
  RIDGE_FN double scalar(const Span<const double>& s, int k) const { return s.data[k]; }
  /// Numbers of elsewhere, as order.source(i) says for each.
  template <class T, class Order>
  RIDGE_FN auto gathered(const Span<const T>& x, const Order& order) const {
    Pack<double, N> v(0.0);
    for (int k = 0; k < N; ++k) {
      const Index from = order.source(first + k);
      if (from >= 0) v.set(k, static_cast<double>(x.data[from]));
    }
    return v;
  }
};

#else

template <class Lane, int N>
struct Numbers {
  const Lane& lane;
  Index first;
  template <class T>
  RIDGE_DEVICE auto load(const Span<T>& x) const {
    using U = std::remove_const_t<T>;
    if constexpr (N == 1) {
      return Pack<U, 1>(one(x));
    } else if constexpr (std::is_const_v<T>) {
      return lane.template load_pack<N>(x, first);
    } else { // which this launch writes, but no other lane
      return lane.template load_pack<N>(Span<const U>(x), first);
    }
  }
  template <class T, class V>
  RIDGE_DEVICE void store(const Span<T>& x, const V& v) const {
    if constexpr (N == 1) {
      lane.store(x, first, v[0]);
    } else {
      lane.store(x, first, v);
    }
  }
  template <class T, class V>
  RIDGE_DEVICE auto narrowed(const V& v) const {
    return narrowed_pack<T>(v);
  }
  RIDGE_DEVICE double scalar(const Span<const double>& s, int k) const { return lane.load(s, k); }
  template <class T, class Order>
  RIDGE_DEVICE auto gathered(const Span<const T>& x, const Order& order) const {
    Pack<double, N> v(0.0);
    for (int k = 0; k < N; ++k) {
      const Index from = order.source(first + k);
      if (from >= 0) v.set(k, static_cast<double>(lane.load(x, from)));
    }
    return v;
  }

private:
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> one(const Span<T>& x) const {
    return lane.load(Span<const std::remove_const_t<T>>(x), first);
  }
};

#endif

} // namespace RIDGE_TARGET_NAME

} // namespace ridge::solve
