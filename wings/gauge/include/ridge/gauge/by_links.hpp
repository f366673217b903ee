// Gradients of Re sum of w^+ D psi by the links of the operator D (ridge/gauge/outer.hpp).
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>

namespace ridge::gauge {

/// That of an operator's hops along the links, by links that have D's boundary and phases in them:
/// the sum over `count` fermions, spinors of D = ... + hop H or colour vectors of the staggered
/// operator, that follow each other at `psi` and at `w`, in plain order.
template <class Fermion>
[[nodiscard]] HostLinks hops_by_links(Queue& queue, const Extents& extents, const Fermion* psi,
                                      const Fermion* w, Index count, double hop);

extern template HostLinks hops_by_links(Queue&, const Extents&, const lattice::Spinor<double>*,
                                        const lattice::Spinor<double>*, Index, double);
extern template HostLinks hops_by_links(Queue&, const Extents&,
                                        const lattice::ColourVector<double>*,
                                        const lattice::ColourVector<double>*, Index, double);

} // namespace ridge::gauge
