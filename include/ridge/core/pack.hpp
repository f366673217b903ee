// Pack<T, N>: N values of T computed on together. Kernel bodies are generic over their value type:
// plain T on a GPU lane, a pack of a few on a lane that owns several neighbours, a pack of the
// machine's SIMD width on the cpu.
//
// The representation is part of the type, so that objects compiled for different devices never
// share one another's functions: `abi::Native` holds a vector register (cpu kernel sources), and
// `abi::Array` holds an array (everything else). Both have the same operations.
#pragma once

#include <ridge/core/config.hpp>

#include <type_traits>

namespace ridge {

namespace abi {
struct Array {};
struct Native {};
#if defined(RIDGE_TARGET_CPU)
using Default = Native;
#else
using Default = Array;
#endif
} // namespace abi

template <class T, int N, class Abi = abi::Default>
struct Pack;

/// True for Pack<...>.
template <class V>
inline constexpr bool is_pack = false;
template <class T, int N, class Abi>
inline constexpr bool is_pack<Pack<T, N, Abi>> = true;

namespace detail {
template <class U>
concept Number = std::is_arithmetic_v<U>;

template <class V>
struct ValueTraits {
  using Element = V;
  static constexpr int lanes = 1;
};
template <class T, int N, class Abi>
struct ValueTraits<Pack<T, N, Abi>> {
  using Element = T;
  static constexpr int lanes = N;
};
} // namespace detail

/// T for Pack<T, N> and for T itself.
template <class V>
using Element = typename detail::ValueTraits<V>::Element;
/// N for Pack<T, N>, 1 for T itself.
template <class V>
inline constexpr int lanes_of = detail::ValueTraits<V>::lanes;

/// Which lanes a comparison held in; selects with select(mask, a, b).
template <class T, int N, class Abi>
struct Mask;

} // namespace ridge

#include <ridge/core/pack_array.hpp>
#if defined(RIDGE_TARGET_CPU)
#include <ridge/core/pack_native.hpp>
#endif

namespace ridge {

// Compound assignment and mixed operations with plain numbers, once for both representations.
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A>& operator+=(Pack<T, N, A>& a, const Pack<T, N, A>& b) {
  return a = a + b;
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A>& operator-=(Pack<T, N, A>& a, const Pack<T, N, A>& b) {
  return a = a - b;
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A>& operator*=(Pack<T, N, A>& a, const Pack<T, N, A>& b) {
  return a = a * b;
}
template <class T, int N, class A>
RIDGE_FN Pack<T, N, A>& operator/=(Pack<T, N, A>& a, const Pack<T, N, A>& b) {
  return a = a / b;
}
template <class T, int N, class A, detail::Number U>
RIDGE_FN Pack<T, N, A>& operator+=(Pack<T, N, A>& a, U b) {
  return a = a + b;
}
template <class T, int N, class A, detail::Number U>
RIDGE_FN Pack<T, N, A>& operator-=(Pack<T, N, A>& a, U b) {
  return a = a - b;
}
template <class T, int N, class A, detail::Number U>
RIDGE_FN Pack<T, N, A>& operator*=(Pack<T, N, A>& a, U b) {
  return a = a * b;
}
template <class T, int N, class A, detail::Number U>
RIDGE_FN Pack<T, N, A>& operator/=(Pack<T, N, A>& a, U b) {
  return a = a / b;
}

} // namespace ridge
