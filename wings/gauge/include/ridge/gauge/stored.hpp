// Operators on stored fields, from host code: links and spinors of a lattice as stored, and calls.
//
//   const auto even = lattice::site_grid(device, extents, lattice::Sites::even, 8);
//   const auto odd = lattice::site_grid(device, extents, lattice::Sites::odd, 8);
//   gauge::StoredLinks<double, 12> links(queue, {even, odd}, [](auto x, int mu) { ... });
//   gauge::StoredFermion<double> psi(device, odd), out(device, even);
//   Program hop(queue, gauge::dslash_call(out, links, psi));
//
// Kernel sources instantiate lattice::StoredLooper<gauge::Dslash<double, 12>, Here>.
#pragma once

#include <ridge/gauge/dslash.hpp>
#include <ridge/lattice/stored/call.hpp>
#include <ridge/lattice/stored/field.hpp>

#include <utility>

namespace ridge::gauge {

template <class Number>
using StoredFermion =
    lattice::StoredField<Spinor<typename lattice::StoredNumber<Number>::Real>, Number>;

/// The four links of each site of the given grids: of a whole lattice, or of both parities.
template <class Number, int Reals>
class StoredLinks {
public:
  using Field = lattice::StoredField<ColourMatrix<typename lattice::StoredNumber<Number>::Real>,
                                     Number, Reals>;

  /// `make(x, mu)` gives the link, a ColourMatrix<double>, that leads from x (four coordinates of
  /// the whole lattice) along mu.
  template <class Make>
  StoredLinks(Queue& queue, const std::vector<lattice::SiteGrid>& grids, const Make& make) {
    for (const auto& grid : grids) {
      for (int mu = 0; mu < dimensions; ++mu) {
        fields_.emplace_back(queue.device(), grid, "links");
        fields_.back().fill(queue, [&](const int(&x)[4], int) { return make(x, mu); });
      }
    }
  }
  /// Those of the sites of a grid.
  [[nodiscard]] const Field& of(const lattice::SiteGrid& grid, int mu) const {
    for (std::size_t i = static_cast<std::size_t>(mu); i < fields_.size(); i += dimensions) {
      const auto& g = fields_[i].grid();
      if (g.half == grid.half && g.parity == grid.parity) return fields_[i];
    }
    throw UsageError("there are no links of the sites of this field");
  }

private:
  std::vector<Field> fields_;
};

/// out = H psi, or H^+ psi. Of half lattices psi has the other parity than out. Throws UsageError
/// for fields of other lattices.
template <class Number, int Reals>
[[nodiscard]] lattice::StoredCall<Dslash<Number, Reals>>
dslash_call(const StoredFermion<Number>& out, const StoredLinks<Number, Reals>& links,
            const StoredFermion<Number>& psi, bool dagger = false) {
  const lattice::SiteGrid& g = out.grid();
  lattice::SiteGrid other = g;
  if (g.half != 0) other.parity = 1 - g.parity;
  if (psi.grid() != other) {
    throw UsageError(g.half != 0 ? "psi lies on other sites than those next to the result's"
                                 : "psi and the result lie on other lattices");
  }
  Dslash<Number, Reals> kernel;
  for (int mu = 0; mu < dimensions; ++mu) {
    kernel.links[0][mu] = links.of(g, mu).view();
    kernel.links[1][mu] = links.of(other, mu).view();
  }
  kernel.psi = psi.view();
  kernel.out = out.view();
  kernel.sign = dagger ? -1 : 1;
  return {kernel, g};
}

/// out = diagonal source + hop H psi. `source` lies on the sites of out, and may be out.
template <class Number, int Reals>
[[nodiscard]] lattice::StoredCall<Dslash<Number, Reals>>
dslash_call(const StoredFermion<Number>& out, const StoredLinks<Number, Reals>& links,
            const StoredFermion<Number>& psi, const StoredFermion<Number>& source, double diagonal,
            double hop, bool dagger = false) {
  auto call = dslash_call(out, links, psi, dagger);
  if (source.grid() != out.grid())
    throw UsageError("the source lies on other sites than the result");
  using Real = typename Dslash<Number, Reals>::Real;
  call.kernel.source = source.view();
  call.kernel.diagonal = static_cast<Real>(diagonal);
  call.kernel.hop = static_cast<Real>(hop);
  return call;
}

} // namespace ridge::gauge
