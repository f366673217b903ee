// Spinors of one stored field in the numbers of another: to = factor from.
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/lattice/stored/code.hpp>

namespace ridge::gauge {

/// For numbers that are computed with in float: float and lattice::Fixed16.
template <class From, class To>
struct Recode {
  using Real = float;
  using Fermion = Spinor<float>;
  static constexpr const char* name = "recode";
  static constexpr const char* form = "a spinor";
  static constexpr bool fixed = true;
  static constexpr int inner_ahead[1] = {1};

  lattice::StoredView<const Fermion, From> from;
  lattice::StoredView<Fermion, To> to;
  float factor = 1;

  template <class At>
  RIDGE_FN auto operator()(const At& at, bool /*sums*/) const {
    using V = typename At::template Value<float>;
    const auto x = at.read(from, at.here());
    const V by = x.scale * V(factor);
    Spinor<V> y;
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c)
      component(y, c) = {by * component(x.value, c).re, by * component(x.value, c).im};
    at.write(to, y);
    return V(0.0F);
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(from, false), f(to, false);
  }
  [[nodiscard]] double flops() const { return 24; }
};

} // namespace ridge::gauge
