// Site kernels and expressions of the tests of lattices over ranks.
#pragma once

#include <ridge/lattice/rank_program.hpp>
#include <ridge/lattice/site_loop.hpp>

namespace ridge::comm::test {

using Colour = lattice::Vector<lattice::Complex<double>, 3>;
using Phase = lattice::Complex<double>;

/// A star of four dimensions, of two fields: out = the sum over mu of u(x) psi(x + mu) -
/// u(x - mu) psi(x - mu).
struct Hop {
  static constexpr const char* name = "hop";
  static constexpr double flops = 4 * 48;
  lattice::SiteView<const Phase> u;
  lattice::SiteView<const Colour> psi;
  lattice::SiteView<Colour> out;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    auto sum = lattice::coalesced_read(at, u) * lattice::coalesced_read(at, psi);
    for (int mu = 0; mu < 4; ++mu) {
      const auto back = at.shifted(mu, -1);
      sum = sum + lattice::coalesced_read(at, u) * lattice::coalesced_read(at.shifted(mu, 1), psi);
      sum = sum - lattice::coalesced_read(back, u) * lattice::coalesced_read(back, psi);
    }
    lattice::coalesced_write(at, out, sum);
  }
  template <class F>
  void for_each_view(const F& f) const {
    f(u), f(psi), f(out);
  }
};

/// Corners and depth, of real numbers in single precision: x is replaced where it is read.
struct Corners {
  lattice::SiteView<const float> x;
  lattice::SiteView<float> z;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto far = at.shifted(0, 1).shifted(1, -1).shifted(2, 2);
    lattice::coalesced_write(at, z,
                             lattice::coalesced_read(at, x) +
                                 0.5f * lattice::coalesced_read(far, x) -
                                 lattice::coalesced_read(at.shifted(2, -1), x));
  }
};

/// An expression: z = u (psi + psi further along).
inline auto mixed(const lattice::Field<Phase>& u, const lattice::Field<Colour>& psi) {
  return u * (psi + lattice::shift(psi, 3, -1));
}
using Mixed = lattice::Stored<Colour, lattice::detail::NodeOf<decltype(mixed(
                                          std::declval<const lattice::Field<Phase>&>(),
                                          std::declval<const lattice::Field<Colour>&>()))>>;

} // namespace ridge::comm::test
