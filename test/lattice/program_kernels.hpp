// Reductions, maps, expressions and site kernels of a user's own.
#pragma once

#include <ridge/lattice/map.hpp>
#include <ridge/lattice/site_loop.hpp>

#include <vector>

namespace ridge::lattice::test {

struct FourthPowers : Reduction {
  static constexpr const char* name = "fourth powers";
  static constexpr double flops = 4;
  template <class V>
  RIDGE_FN V term(const V& x) const {
    return x * x * x * x;
  }
};

/// Of two fields, real and imaginary parts apart, component by component.
struct Distance : Reduction {
  static constexpr const char* name = "distance";
  static constexpr double flops = 3;
  static constexpr int inputs = 2;
  static constexpr bool by_component = true;
  static constexpr Parts parts = Parts::apart;
  double scale = 1;
  template <class V>
  RIDGE_FN V term(const V& x, const V& y) const {
    return V(scale) * ((x - y) * (x - y));
  }
};

/// Whose order does not matter.
struct LargestProduct : Reduction {
  static constexpr const char* name = "largest product";
  static constexpr double flops = 2;
  static constexpr int inputs = 2;
  template <class V>
  using Accumulator = Greatest<V>;
  template <class V>
  RIDGE_FN V term(const V& x, const V& y) const {
    return x * y;
  }
};

struct Squares {
  static constexpr const char* name = "squares";
  static constexpr int inputs = 1;
  static constexpr double flops = 1;
  template <class V>
  RIDGE_FN V operator()(const V& x) const {
    return x * x;
  }
};

struct Operands {
  Field<ColourMatrix<double>>* u;
  Field<ColourVector<double>>*x, *z;
};

inline auto turned(const Operands& f) {
  return *f.u * shift(*f.x, 0, 1);
}
using Turned = decltype(turned(std::declval<const Operands&>()));
using TurnedNorm2 = detail::Summand<Norm2, false, Turned>;

struct Doubled {
  static constexpr const char* name = "doubled";
  static constexpr double flops = 6;
  SiteView<ColourVector<double>> z;
  SiteView<const ColourVector<double>> x;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto v = coalesced_read(at, x);
    coalesced_write(at, z, v + v);
  }
  template <class F>
  void for_each_view(const F& f) const {
    f(z), f(x);
  }
};

inline Doubled doubled(const Operands& f) {
  return {f.z->view(), f.x->view()};
}

/// What a kernel source binds itself.
template <class Target>
struct Bound {
  static std::vector<Program> programs(Queue& queue, const Operands& f,
                                       DeviceResult<double>& result);
};

} // namespace ridge::lattice::test
