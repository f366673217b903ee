// The gauge-covariant Laplacian of a scalar field with three colours, D = mass^2 + 8 - hops:
//
//   ridge bench examples/site_operator/laplacian.hpp:Laplacian --size 16x16x16x16 --set mass=0.3
//   ridge tune examples/site_operator/laplacian.hpp:Laplacian --size 32x32x32x32 --precision fp32
//   ridge model examples/site_operator/laplacian.hpp:Laplacian --on h200 --schedule all
//   ridge doctor examples/site_operator/laplacian.hpp:Laplacian --size 32x32x32x32
#include <ridge/lattice/site_operator.hpp>

struct Laplacian : ridge::lattice::SiteOperator {
  template <class T>
  using Site = ridge::lattice::ColourVector<T>; // what a site holds
  static constexpr double flops = 582;          // 8 products of 66, 8 sums, a factor
  double mass = 0.1;

  template <class At>
  RIDGE_FN auto operator()(const At& at) const {
    auto sum = at.number(mass * mass + 8) * at.here();
    ridge::lattice::each_direction([&](auto mu) {
      sum -= at.link(mu) * at.ahead(mu) + adj(at.link_behind(mu)) * at.behind(mu);
    });
    return sum;
  }
};

/// The hops alone, from odd sites to even ones: half of an even-odd preconditioned operator.
struct Hops : ridge::lattice::SiteOperator {
  template <class T>
  using Site = ridge::lattice::ColourVector<T>;
  static constexpr double flops = 570;
  static constexpr bool even_odd = true;

  template <class At>
  RIDGE_FN auto operator()(const At& at) const {
    auto sum = at.zero();
    ridge::lattice::each_direction([&](auto mu) {
      sum += at.link(mu) * at.ahead(mu) + adj(at.link_behind(mu)) * at.behind(mu);
    });
    return sum;
  }
};
