// Averages over the links of a configuration, on the host.
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/su3.hpp>

#include <cmath>

namespace ridge::gauge {

namespace {

using Link = lattice::ColourMatrix<double>;

/// U_mu(x) U_nu(x + mu), up to its adjoint.
Link corner(const HostLinks& links, Index site, Index ahead, int mu, int nu) {
  return links[static_cast<std::size_t>(4 * site + mu)] *
         links[static_cast<std::size_t>(4 * ahead + nu)];
}

double real_trace_of_product(const Link& a, const Link& adjoint_of) {
  double sum = 0;
  for (int c = 0; c < 9; ++c) {
    const auto& x = component(a, c);
    const auto& y = component(adjoint_of, c);
    sum += x.re * y.re + x.im * y.im;
  }
  return sum;
}

/// Sums over the sites of a row along x.
LinkAverages of_row(const Extents& extents, const HostLinks& links, Index row) {
  LinkAverages sum;
  Index stride[4];
  Index x[4];
  Index count = 1;
  for (int d = 0; d < 4; ++d) {
    stride[d] = count;
    count *= extents[d];
  }
  const Index first = row * extents[0];
  for (int d = 1; d < 4; ++d)
    x[d] = first / stride[d] % extents[d];
  for (x[0] = 0; x[0] < extents[0]; ++x[0]) {
    const Index site = first + x[0];
    Index ahead[4];
    for (int d = 0; d < 4; ++d)
      ahead[d] = site + (x[d] + 1 < extents[d] ? stride[d] : -x[d] * stride[d]);
    for (int mu = 0; mu < 4; ++mu) {
      const Link& u = links[static_cast<std::size_t>(4 * site + mu)];
      sum.link_trace += u(0, 0).re + u(1, 1).re + u(2, 2).re;
      for (int nu = mu + 1; nu < 4; ++nu)
        sum.plaquette += real_trace_of_product(corner(links, site, ahead[mu], mu, nu),
                                               corner(links, site, ahead[nu], nu, mu));
    }
  }
  return sum;
}

} // namespace

LinkAverages link_averages(const Extents& extents, const HostLinks& links) {
  const Index rows = extents.count() / extents[0];
  std::vector<LinkAverages> sums(static_cast<std::size_t>(rows));
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(rows, thread, threads);
    for (Index row = mine.begin; row < mine.end; ++row)
      sums[static_cast<std::size_t>(row)] = of_row(extents, links, row);
  });
  LinkAverages total;
  for (const LinkAverages& sum : sums) {
    total.plaquette += sum.plaquette;
    total.link_trace += sum.link_trace;
  }
  const auto sites = static_cast<double>(extents.count());
  return {total.plaquette / (18 * sites), total.link_trace / (12 * sites)};
}

HostLinks with_boundary(const Extents& extents, HostLinks links, const Boundary& boundary) {
  Index stride = 1;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const Index n = extents[static_cast<int>(mu)];
    for (Index site = 0; !(boundary[mu] == lattice::Complex<double>(1.0)) && site < extents.count();
         ++site) {
      auto& link = links[static_cast<std::size_t>(4 * site) + mu];
      if (site / stride % n == n - 1) link = boundary[mu] * link;
    }
    stride *= n;
  }
  return links;
}

Unitarity unitarity(const HostLinks& links) {
  const int all = cpu::default_threads();
  std::vector<Unitarity> worst(static_cast<std::size_t>(all));
  cpu::run(all, [&](int thread, int threads) {
    const auto mine = cpu::share_of(static_cast<Index>(links.size()), thread, threads);
    Unitarity& here = worst[static_cast<std::size_t>(thread)];
    for (Index i = mine.begin; i < mine.end; ++i) {
      const double distance = distance_from_su3(links[static_cast<std::size_t>(i)]);
      if (std::isnan(here.distance)) return;
      if (!(distance <= here.distance)) here = {distance, i};
    }
  });
  Unitarity result;
  for (const Unitarity& w : worst) {
    if (std::isnan(result.distance)) break;
    if (!(w.distance <= result.distance)) result = w;
  }
  return result;
}

void make_special_unitary(HostLinks& links) {
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(static_cast<Index>(links.size()), thread, threads);
    for (Index i = mine.begin; i < mine.end; ++i)
      make_special_unitary(links[static_cast<std::size_t>(i)]);
  });
}

} // namespace ridge::gauge
