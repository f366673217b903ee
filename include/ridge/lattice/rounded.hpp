// Numbers each operation on which is rounded by itself. Compilers fuse a product and a sum to one
// operation where they see fit, and differently for each device; these they leave alone, so that an
// expression has the same bits everywhere.
#pragma once

#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/site_view.hpp>

#include <type_traits>

namespace ridge::lattice::inline RIDGE_TARGET_NAME {

/// V is float, double or a pack of them.
template <class V>
struct Rounded {
  V v;

  Rounded() = default;
  RIDGE_FN explicit Rounded(const V& value) : v(value) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::is_same_v<N, V>) RIDGE_FN explicit Rounded(N number)
      : v(static_cast<Element<V>>(number)) {}

  friend RIDGE_FN Rounded operator+(const Rounded& a, const Rounded& b) {
    return Rounded(a.v + b.v);
  }
  friend RIDGE_FN Rounded operator-(const Rounded& a, const Rounded& b) {
    return Rounded(a.v - b.v);
  }
  friend RIDGE_FN Rounded operator-(const Rounded& a) { return Rounded(-a.v); }
  friend RIDGE_FN Rounded operator*(const Rounded& a, const Rounded& b) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<V, double>) {
      return Rounded(__dmul_rn(a.v, b.v));
    } else {
      return Rounded(__fmul_rn(a.v, b.v));
    }
#else
    return Rounded(detail::opaque(a.v * b.v));
#endif
  }
};

template <class V>
RIDGE_FN Rounded<V> rounded(const V& value) {
  return Rounded<V>(value);
}
template <class V>
RIDGE_FN Complex<Rounded<V>> rounded(const Complex<V>& value) {
  return {Rounded<V>(value.re), Rounded<V>(value.im)};
}

/// A site, or the sites of a pack, as expressions see it, whose numbers are such. `Held` is how it
/// is kept: by reference, or a site of its own.
template <class At, class Held = const At&>
class RoundedSite {
public:
  template <class T>
  using Value = Rounded<typename At::template Value<T>>;

  RIDGE_FN explicit RoundedSite(const At& at) : at_(at) {}

  template <class S>
  RIDGE_FN auto load(const SiteView<S>& view, int c) const {
    return rounded(at_.load(view, c));
  }
  [[nodiscard]] RIDGE_FN RoundedSite<At, At> shifted(int d, int by) const {
    return RoundedSite<At, At>(at_.shifted(d, by));
  }

private:
  Held at_;
};

} // namespace ridge::lattice::inline RIDGE_TARGET_NAME
