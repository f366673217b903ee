// Launches of operators of your own on stored fields, beside links.
//
//   Program apply(queue, gauge::operator_call(out, links, psi, Laplacian{}));
#pragma once

#include <ridge/gauge/stored.hpp>
#include <ridge/lattice/site_operator.hpp>

namespace ridge::gauge {

/// A field that an operator F reads or gives.
template <class F, class Number>
using OperatorField = lattice::StoredField<typename F::template Site<Number>, Number>;

/// out = the operator of psi. An `even_odd` one has psi on the sites of the other parity, others on
/// those of out. Throws UsageError for fields of other lattices.
template <class F, class Number, int Reals>
[[nodiscard]] lattice::StoredCall<lattice::OperatorKernel<F, Number, Reals>>
operator_call(const OperatorField<F, Number>& out, const StoredLinks<Number, Reals>& links,
              const OperatorField<F, Number>& psi, const F& functor) {
  const lattice::SiteGrid& g = out.grid();
  lattice::SiteGrid of_psi = g;
  if (F::even_odd != (g.half != 0)) {
    throw UsageError(F::even_odd ? "an even_odd operator has its results on half a lattice"
                                 : "an operator has its results on a whole lattice");
  }
  if (F::even_odd) of_psi.parity = 1 - g.parity;
  if (psi.grid() != of_psi)
    throw UsageError("the field lies on other sites than the operator's results need");
  lattice::OperatorKernel<F, Number, Reals> kernel;
  for (int mu = 0; F::links && mu < dimensions; ++mu) {
    kernel.links[0][mu] = links.of(g, mu).view();
    kernel.links[1][mu] = links.of(of_psi, mu).view();
  }
  kernel.psi = psi.view();
  kernel.out = out.view();
  kernel.functor = functor;
  return {kernel, g};
}

} // namespace ridge::gauge
