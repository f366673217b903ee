// One node's work for its moments of orders 3 to 5; for kernel sources.
//
// First sums of products of coordinates, from the deepest level up; then, in their places, tensors
// without trace and what their traces were: there are as many numbers of both.
#pragma once

#include <ridge/spatial/build.hpp>
#include <ridge/spatial/items.hpp>

namespace ridge::spatial::inline RIDGE_TARGET_NAME {

/// Products of x, y and z of degrees 0 to N: 1; x, y, z; xx, xy, xz, yy, yz, zz; xxx, ...
RIDGE_FN constexpr int products_below(int degree) {
  return degree * (degree + 1) * (degree + 2) / 6;
}
RIDGE_FN constexpr int product_place(int x, int y, int z) {
  const int degree = x + y + z;
  return degree * (degree + 1) * (degree + 2) / 6 + (y + z) * (y + z + 1) / 2 + z;
}
/// Where `higher` has the k-th product, of degree 3 at least.
RIDGE_FN constexpr Index higher_place(int k) {
  return k < 20 ? k - 10 : k - 8;
}

/// Sums of m d^a d^b d^c about a place at -x, -y, -z, from those about the origin: three times
/// Pascal's triangle.
template <int N, class T>
RIDGE_FN void shift_products(T* sums, T x, T y, T z) {
  RIDGE_UNROLL
  for (int b = 0; b < N; ++b) {
    RIDGE_UNROLL
    for (int c = 0; b + c < N; ++c) {
      RIDGE_UNROLL
      for (int i = 1; i <= N - b - c; ++i) {
        RIDGE_UNROLL
        for (int a = N - b - c; a >= i; --a)
          sums[product_place(a, b, c)] += x * sums[product_place(a - 1, b, c)];
      }
    }
  }
  RIDGE_UNROLL
  for (int b = 0; b < N; ++b) {
    RIDGE_UNROLL
    for (int c = 0; b + c < N; ++c) {
      RIDGE_UNROLL
      for (int i = 1; i <= N - b - c; ++i) {
        RIDGE_UNROLL
        for (int a = N - b - c; a >= i; --a)
          sums[product_place(b, a, c)] += y * sums[product_place(b, a - 1, c)];
      }
    }
  }
  RIDGE_UNROLL
  for (int b = 0; b < N; ++b) {
    RIDGE_UNROLL
    for (int c = 0; b + c < N; ++c) {
      RIDGE_UNROLL
      for (int i = 1; i <= N - b - c; ++i) {
        RIDGE_UNROLL
        for (int a = N - b - c; a >= i; --a)
          sums[product_place(b, c, a)] += z * sums[product_place(b, c, a - 1)];
      }
    }
  }
}

/// Sums of products of degree 3 and more of one node about its centre of mass, once its other
/// moments are known. N: 3 or 5.
template <class S, class T, int N>
struct FindHigher {
  static constexpr const char* name = "octree: higher moments";
  Build<S, T> b;
  Index first;
  bool of_leaves; ///< or of all others

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    constexpr int all = products_below(N + 1);
    const Index v = first + n;
    const Index begin = access.load(b.links, 2 * v);
    const std::uint32_t link = access.load(b.links, 2 * v + 1);
    const bool is_leaf = (link & leaf_bit) != 0;
    if (is_leaf != of_leaves) return;
    const Span<const S> from = is_leaf ? Span<const S>(b.sorted) : Span<const S>(b.centres);
    const Four<S> centre = load_four(access, Span<const S>(b.centres), 4 * v);
    const Index numbers = higher_numbers(b.moments_order);
    constexpr int surely = products_below(N == 5 ? 5 : N + 1); // order 4 runs the kernel of order 5
    const bool is_whole = b.moments_order == N;
    T sum[all] = {};
    for (Index i = begin; i < begin + static_cast<Index>(link & ~leaf_bit); ++i) {
      const Four<S> part = load_four(access, from, 4 * i);
      T products[all] = {static_cast<T>(part.at[3])};
      if (!is_leaf) {
        set_second(access, i, products + 4);
        load<10, surely>(access, numbers * i, products);
        if (is_whole) load<surely, all>(access, numbers * i, products);
      }
      shift_products<N>(products, static_cast<T>(part.at[0] - centre.at[0]),
                        static_cast<T>(part.at[1] - centre.at[1]),
                        static_cast<T>(part.at[2] - centre.at[2]));
      RIDGE_UNROLL
      for (int k = 10; k < all; ++k)
        sum[k] += products[k];
    }
    store<10, surely>(access, numbers * v, sum);
    if (is_whole) store<surely, all>(access, numbers * v, sum);
  }

private:
  template <int Begin, int End, class Access>
  RIDGE_FN void load(Access& access, Index at, T* to) const {
    RIDGE_UNROLL
    for (int k = Begin; k < End; ++k)
      to[k] = access.load_written(b.higher, at + higher_place(k));
  }
  template <int Begin, int End, class Access>
  RIDGE_FN void store(Access& access, Index at, const T* from) const {
    RIDGE_UNROLL
    for (int k = Begin; k < End; ++k)
      access.store(b.higher, at + higher_place(k), from[k]);
  }
  /// xx, xy, xz, yy, yz, zz of a child about its own centre.
  template <class Access>
  RIDGE_FN void set_second(Access& access, Index i, T* to) const {
    const Span<const T> moments = b.moments;
    const Four<T> some = load_four(access, moments, 8 * i);
    const Four<T> more = load_four(access, moments, 8 * i + 4);
    constexpr T third = T(1) / 3;
    to[0] = (some.at[0] + more.at[1]) * third;
    to[1] = some.at[1] * third;
    to[2] = some.at[2] * third;
    to[3] = (some.at[3] + more.at[1]) * third;
    to[4] = more.at[0] * third;
    to[5] = (more.at[1] - some.at[0] - some.at[3]) * third;
  }
};

/// The moments of one node, of its sums of products.
template <class S, class T>
struct TakeTraces {
  static constexpr const char* name = "octree: traces of moments";
  Build<S, T> b;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index v) const {
    const Index at = higher_numbers(b.moments_order) * v;
    T sums[21];
    T traces[10];
    T none[1] = {};
    load<3>(access, at, sums);
    trace<3>(sums, traces);
    store<3>(access, at, sums, traces, none, T(5), T(1), T(0), T(1));
    put(access, at + 7, traces, 3, T(1));
    put(access, at + 10, none, 2, T(0));
    if (b.moments_order == 3) return;
    T twice[3];
    load<4>(access, at + 12, sums);
    trace<4>(sums, traces);
    trace<2>(traces, twice);
    store<4>(access, at + 12, sums, traces, twice, T(35), T(5), T(1), T(0.125));
    store<2>(access, at + 21, traces, twice, none, T(3), T(1), T(0), T(2.5));
    put(access, at + 26, twice, 1, T(0.5));
    if (b.moments_order == 4) {
      put(access, at + 27, none, 1, T(0));
      return;
    }
    load<5>(access, at + 27, sums);
    trace<5>(sums, traces);
    trace<3>(traces, twice);
    store<5>(access, at + 27, sums, traces, twice, T(63), T(7), T(1), T(0.125));
    store<3>(access, at + 38, traces, twice, none, T(5), T(1), T(0), T(3.5));
    put(access, at + 45, twice, 3, T(-1.5));
  }

private:
  /// For those of one degree.
  static RIDGE_FN int place(int y, int z) { return (y + z) * (y + z + 1) / 2 + z; }
  static RIDGE_FN T pairs_of(int n) { return static_cast<T>(n * (n - 1) / 2); }
  static RIDGE_FN T fours_of(int n) {
    return static_cast<T>(n * (n - 1) * (n - 2) * (n - 3) / 8); // two pairs of four, thrice
  }

  template <int N, class Access>
  RIDGE_FN void load(Access& access, Index at, T* to) const {
    RIDGE_UNROLL
    for (int k = 0; k < (N + 1) * (N + 2) / 2; ++k)
      to[k] = access.load_written(b.higher, at + k);
  }
  template <class Access>
  RIDGE_FN void put(Access& access, Index at, const T* values, int count, T factor) const {
    for (int k = 0; k < count; ++k)
      access.store(b.higher, at + k, factor == T(0) ? T(0) : factor * values[k]);
  }
  /// The rest of degree N - 2.
  template <int N>
  static RIDGE_FN void trace(const T* sums, T* to) {
    RIDGE_UNROLL
    for (int j = 0; j <= N - 2; ++j) {
      RIDGE_UNROLL
      for (int z = 0; z <= j; ++z)
        to[place(j - z, z)] =
            sums[place(j - z, z)] + sums[place(j - z + 2, z)] + sums[place(j - z, z + 2)];
    }
  }
  /// factor (of_sums d.. - of_traces (1 d^2 d.. + ...) + of_twice (1 1 d^4 d.. + ...)), which has
  /// no trace: components of at most one z.
  template <int N, class Access>
  RIDGE_FN void store(Access& access, Index at, const T* sums, const T* traces, const T* twice,
                      T of_sums, T of_traces, T of_twice, T factor) const {
    RIDGE_UNROLL
    for (int k = 0; k <= 2 * N; ++k) {
      const int j = (k + 1) / 2;
      const int z = j > 0 ? (k + 1) % 2 : 0;
      const int x = N - j;
      const int y = j - z;
      T value = of_sums * sums[place(y, z)];
      if (x >= 2) value -= of_traces * pairs_of(x) * traces[place(y, z)];
      if (y >= 2) value -= of_traces * pairs_of(y) * traces[place(y - 2, z)];
      if constexpr (N >= 4) {
        T two = 0;
        if (x >= 4) two += fours_of(x) * twice[place(y, z)];
        if (x >= 2 && y >= 2) two += pairs_of(x) * pairs_of(y) * twice[place(y - 2, z)];
        if (y >= 4) two += fours_of(y) * twice[place(y - 4, z)];
        value += of_twice * two;
      }
      access.store(b.higher, at + k, factor * value);
    }
  }
};

} // namespace ridge::spatial::inline RIDGE_TARGET_NAME
