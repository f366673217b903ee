// Launches of operators on fields of a whole lattice.
//
//   Program apply(queue, gauge::wilson_call(out, links, psi, gauge::by_kappa(0.13)));
//   apply.run();
//
// Kernel sources instantiate SiteLooper<Spinor<T>, Wilson<T>, Here>
// (ridge/lattice/site_executor.hpp).
#pragma once

#include <ridge/gauge/links.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/site_call.hpp>

namespace ridge::gauge {

template <class T>
using Fermion = lattice::Field<lattice::Spinor<T>>;

namespace detail {
template <class Kernel, class T>
lattice::SiteLoopCall<lattice::Spinor<T>, Kernel>
operator_call(const Fermion<T>& out, const Links<T>& links, const Fermion<T>& psi, bool dagger) {
  Kernel kernel;
  for (std::size_t mu = 0; mu < dimensions; ++mu)
    kernel.links[mu] = links[mu].view();
  kernel.psi = psi.view();
  kernel.out = out.view();
  kernel.sign = dagger ? T(-1) : T(1);
  return {out.view(), kernel};
}
} // namespace detail

/// out = H psi, or H^+ psi. `out` is another field than psi.
template <class T>
[[nodiscard]] auto hopping_call(const Fermion<T>& out, const Links<T>& links, const Fermion<T>& psi,
                                bool dagger = false) {
  return detail::operator_call<Hopping<T>>(out, links, psi, dagger);
}
/// out = D psi, or D^+ psi. `out` is another field than psi.
template <class T>
[[nodiscard]] auto wilson_call(const Fermion<T>& out, const Links<T>& links, const Fermion<T>& psi,
                               const WilsonNumbers& numbers, bool dagger = false) {
  auto call = detail::operator_call<Wilson<T>>(out, links, psi, dagger);
  call.kernel.diagonal = static_cast<T>(numbers.diagonal);
  call.kernel.hop = static_cast<T>(numbers.hop);
  return call;
}

} // namespace ridge::gauge
