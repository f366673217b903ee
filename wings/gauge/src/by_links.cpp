// Gradients by links.
#include <ridge/device/generate.hpp>
#include <ridge/gauge/by_links.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/outer.hpp>
#include <ridge/lattice/site_call.hpp>

#include <vector>

namespace ridge::gauge {

template <class Fermion>
HostLinks hops_by_links(Queue& queue, const Extents& extents, const Fermion* psi, const Fermion* w,
                        Index count, double hop) {
  using Link = lattice::ColourMatrix<double>;
  const lattice::Lattice lattice(extents);
  Links<double> made;
  HopsByLinks<Fermion> kernel;
  for (auto& view : kernel.out) {
    made.emplace_back(queue.device(), lattice, "a gradient by links");
    fill_bytes(queue, made.back().reals().data, 0, made.back().bytes());
    view = made.back().view();
  }
  lattice::Field<Fermion> x(queue.device(), lattice, "psi");
  lattice::Field<Fermion> y(queue.device(), lattice, "the cotangent");
  kernel.psi = x.view();
  kernel.w = y.view();
  kernel.factor = hop;
  const Index sites = lattice.sites();
  for (Index i = 0; i < count; ++i) {
    x.set(queue, std::vector<Fermion>(psi + i * sites, psi + (i + 1) * sites));
    y.set(queue, std::vector<Fermion>(w + i * sites, w + (i + 1) * sites));
    run_once(queue, lattice::SiteLoopCall<Link, HopsByLinks<Fermion>>{kernel.out[0], kernel,
                                                                      lattice::Subset::all});
  }
  return to_host(queue, made);
}

template HostLinks hops_by_links(Queue&, const Extents&, const lattice::Spinor<double>*,
                                 const lattice::Spinor<double>*, Index, double);
template HostLinks hops_by_links(Queue&, const Extents&, const lattice::ColourVector<double>*,
                                 const lattice::ColourVector<double>*, Index, double);

} // namespace ridge::gauge
