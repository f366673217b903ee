// Pack held as an array: GPU lanes that own several points, and their emulation.
#pragma once

#include <ridge/core/pack.hpp>

namespace ridge {

template <class T, int N>
struct Mask<T, N, abi::Array> {
  bool lane[N];
  RIDGE_FN bool operator[](int i) const { return lane[i]; }
};

template <class T, int N>
struct alignas(sizeof(T) * N) Pack<T, N, abi::Array> {
  static_assert((N & (N - 1)) == 0, "a pack has a power of two of lanes");
  using MaskType = Mask<T, N, abi::Array>;
  T lane[N];

  Pack() = default;
  /// The same value in every lane, from any number.
  template <class U>
  requires std::is_arithmetic_v<U> RIDGE_FN Pack(U value) {
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      lane[i] = static_cast<T>(value);
  }

  [[nodiscard]] RIDGE_FN T operator[](int i) const { return lane[i]; }
  RIDGE_FN void set(int i, T value) { lane[i] = value; }

  /// N elements from any address.
  [[nodiscard]] static RIDGE_FN Pack load(const T* from) {
    Pack p;
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      p.lane[i] = from[i];
    return p;
  }
  RIDGE_FN void store(T* to) const {
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      to[i] = lane[i];
  }

  template <class F>
  [[nodiscard]] static RIDGE_FN Pack make(F f) {
    Pack p;
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      p.lane[i] = f(i);
    return p;
  }
  template <class F>
  [[nodiscard]] static RIDGE_FN MaskType test(F f) {
    MaskType m;
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      m.lane[i] = f(i);
    return m;
  }

  friend RIDGE_FN Pack operator+(const Pack& a, const Pack& b) {
    return make([&](int i) { return a.lane[i] + b.lane[i]; });
  }
  friend RIDGE_FN Pack operator-(const Pack& a, const Pack& b) {
    return make([&](int i) { return a.lane[i] - b.lane[i]; });
  }
  friend RIDGE_FN Pack operator*(const Pack& a, const Pack& b) {
    return make([&](int i) { return a.lane[i] * b.lane[i]; });
  }
  friend RIDGE_FN Pack operator/(const Pack& a, const Pack& b) {
    return make([&](int i) { return a.lane[i] / b.lane[i]; });
  }
  friend RIDGE_FN Pack operator-(const Pack& a) {
    return make([&](int i) { return -a.lane[i]; });
  }
  friend RIDGE_FN MaskType operator<(const Pack& a, const Pack& b) {
    return test([&](int i) { return a.lane[i] < b.lane[i]; });
  }
  friend RIDGE_FN MaskType operator<=(const Pack& a, const Pack& b) {
    return test([&](int i) { return a.lane[i] <= b.lane[i]; });
  }
  friend RIDGE_FN MaskType operator>(const Pack& a, const Pack& b) { return b < a; }
  friend RIDGE_FN MaskType operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend RIDGE_FN Pack select(const MaskType& m, const Pack& a, const Pack& b) {
    return make([&](int i) { return m.lane[i] ? a.lane[i] : b.lane[i]; });
  }
};

} // namespace ridge
