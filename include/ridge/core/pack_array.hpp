// Pack held as an array: GPU lanes that own several points, and their emulation.
#pragma once

#include <ridge/core/pack.hpp>

#include <utility>

namespace ridge {

namespace detail {
// A pass of several sweeps has hundreds of loops over lanes, which nvcc's optimizer unrolls late:
// it takes five times as long for them as for what is written out. How that is done was chosen by
// the registers and the speed of passes. Some other kernels take more registers so
// (docs/design/launches.md).
#if (defined(RIDGE_PACKS_WRITTEN_OUT) || defined(RIDGE_STENCIL_GPU_PASS)) &&                       \
    (defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP))
constexpr bool packs_written_out = true;
#else
constexpr bool packs_written_out = false;
#endif

/// Calls `f` with 0 to N - 1.
template <int N, class F>
RIDGE_FN void each_lane(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (f(I), ...); }
  (std::make_integer_sequence<int, N>{});
}
/// Sets the lanes from I on, one by one.
template <int I, int N, class P, class F>
RIDGE_FN void set_lanes(P& pack, F& f) {
  pack.lane[I] = f(I);
  if constexpr (I + 1 < N) set_lanes<I + 1, N>(pack, f);
}
} // namespace detail

template <class T, int N>
struct Mask<T, N, abi::Array> {
  bool lane[N];
  RIDGE_FN bool operator[](int i) const { return lane[i]; }

  friend RIDGE_FN Mask operator&&(const Mask& a, const Mask& b) {
    Mask m;
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      m.lane[i] = a.lane[i] && b.lane[i];
    return m;
  }
  friend RIDGE_FN Mask operator!(const Mask& a) {
    Mask m;
    RIDGE_UNROLL
    for (int i = 0; i < N; ++i)
      m.lane[i] = !a.lane[i];
    return m;
  }
  friend RIDGE_FN Mask operator||(const Mask& a, const Mask& b) { return !(!a && !b); }
};

template <class T, int N>
struct alignas(sizeof(T) * N) Pack<T, N, abi::Array> {
  static_assert((N & (N - 1)) == 0, "a pack has a power of two of lanes");
  using MaskType = Mask<T, N, abi::Array>;
  T lane[N];

  Pack() = default;
  /// One value in every lane, from any number.
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
    if constexpr (detail::packs_written_out && N <= 2) {
      detail::each_lane<N>([&](int i) { p.lane[i] = f(i); });
    } else if constexpr (detail::packs_written_out) {
      detail::set_lanes<0, N>(p, f);
    } else {
      RIDGE_UNROLL
      for (int i = 0; i < N; ++i)
        p.lane[i] = f(i);
    }
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
  friend RIDGE_FN MaskType operator==(const Pack& a, const Pack& b) {
    return test([&](int i) { return a.lane[i] == b.lane[i]; });
  }
  friend RIDGE_FN MaskType operator!=(const Pack& a, const Pack& b) {
    return test([&](int i) { return a.lane[i] != b.lane[i]; });
  }
  friend RIDGE_FN MaskType operator>(const Pack& a, const Pack& b) { return b < a; }
  friend RIDGE_FN MaskType operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend RIDGE_FN Pack select(const MaskType& m, const Pack& a, const Pack& b) {
    return make([&](int i) { return m.lane[i] ? a.lane[i] : b.lane[i]; });
  }
};

} // namespace ridge
