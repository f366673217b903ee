// Site kernels and expressions of the tests of lattices over ranks.
#pragma once

#include <ridge/lattice/rank_reduce_expression.hpp>
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

/// What is reduced: b - u (psi + psi further along two dimensions).
struct Reduced {
  lattice::Field<Phase> u;
  lattice::Field<Colour> psi, b;
};
inline auto residual(const Reduced& f) {
  return f.b - f.u * (f.psi + lattice::shift(lattice::shift(f.psi, 3, -1), 0, 2));
}
/// Its sum, its norm2 and the inner product of b with it, as kernel sources bind them.
template <class Target>
struct Reductions {
  static std::vector<double> of_one(Queue& queue, const Reduced& f, lattice::Subset subset,
                                    bool reproducible);
  static std::vector<double> over_ranks(Communicator& ranks, Queue& queue,
                                        const lattice::RankLattice& part, const Reduced& f,
                                        lattice::Subset subset, bool reproducible);
};

/// The same that host code binds: kernel sources name what it is reduced by.
inline auto rise(const lattice::Field<float>& x) {
  return 0.5f * x - lattice::shift(x, 1, 2);
}
using Rise = decltype(rise(std::declval<const lattice::Field<float>&>()));
using ReproducibleRise = decltype(lattice::reproducible(std::declval<Rise>()));

} // namespace ridge::comm::test
