// Averages over the links of a configuration, on the host.
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/slices.hpp>
#include <ridge/gauge/su3.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ridge::gauge {

namespace {

using Link = lattice::ColourMatrix<double>;

double real_trace_of_product(const Link& a, const Link& adjoint_of) {
  double sum = 0;
  for (int c = 0; c < 9; ++c) {
    const auto& x = component(a, c);
    const auto& y = component(adjoint_of, c);
    sum += x.re * y.re + x.im * y.im;
  }
  return sum;
}

/// The first slice of the rank that has what follows the last slice of this one; nothing where one
/// rank has all.
HostLinks slice_ahead(const Slices& slices, const HostLinks& links) {
  comm::Communicator& ranks = slices.ranks();
  if (ranks.ranks() == 1) return {};
  const auto owner = [&](Index t) {
    int rank = 0;
    while (slices.begin(rank + 1) <= t)
      ++rank;
    return rank;
  };
  const Index nt = slices.extents()[3];
  const Bytes bytes{slices.slice() * 4 * static_cast<Index>(sizeof(Link))};
  HostLinks ahead;
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  if (slices.sites() > 0) {
    const Index first = slices.begin(ranks.rank());
    ahead.resize(static_cast<std::size_t>(slices.slice()) * 4);
    sends.push_back({const_cast<Link*>(links.data()), bytes, owner((first + nt - 1) % nt), 0});
    receives.push_back({ahead.data(), bytes, owner((first + slices.count(ranks.rank())) % nt), 0});
  }
  ranks.exchange(std::move(sends), std::move(receives));
  return ahead;
}

/// Sums over the sites of a row along x. `ahead`: the links of the slice after the last, or none
/// where that is the first.
LinkAverages of_row(const Extents& extents, const HostLinks& links, const HostLinks& ahead_of_last,
                    Index row) {
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
  const auto links_of = [&](Index site) { return links.data() + 4 * site; };
  for (x[0] = 0; x[0] < extents[0]; ++x[0]) {
    const Index site = first + x[0];
    const Link* const here = links_of(site);
    const Link* ahead[4];
    for (int d = 0; d < 4; ++d)
      ahead[d] = links_of(site + (x[d] + 1 < extents[d] ? stride[d] : -x[d] * stride[d]));
    if (x[3] + 1 == extents[3] && !ahead_of_last.empty())
      ahead[3] = ahead_of_last.data() + 4 * (site % stride[3]);
    for (int mu = 0; mu < 4; ++mu) {
      const Link& u = here[mu];
      sum.link_trace += u(0, 0).re + u(1, 1).re + u(2, 2).re;
      for (int nu = mu + 1; nu < 4; ++nu)
        sum.plaquette += real_trace_of_product(u * ahead[mu][nu], here[nu] * ahead[nu][mu]);
    }
  }
  return sum;
}

} // namespace

LinkAverages link_averages(const Slices& slices, const HostLinks& links) {
  comm::Communicator& ranks = slices.ranks();
  const HostLinks ahead = slice_ahead(slices, links);
  const Extents& whole = slices.extents();
  const Index slices_here = slices.count(ranks.rank());
  const Extents own{whole[0], whole[1], whole[2], std::max<Index>(slices_here, 1)};
  const Index rows_of_slice = whole[1] * whole[2];
  Index most = 0;
  for (int rank = 0; rank < ranks.ranks(); ++rank)
    most = std::max(most, slices.count(rank));
  most *= rows_of_slice;
  std::vector<LinkAverages> sums(static_cast<std::size_t>(most));
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(slices_here * rows_of_slice, thread, threads);
    for (Index row = mine.begin; row < mine.end; ++row)
      sums[static_cast<std::size_t>(row)] = of_row(own, links, ahead, row);
  });
  // Rows are added up in the order of one rank.
  std::vector<LinkAverages> all(sums.size() * static_cast<std::size_t>(ranks.ranks()));
  ranks.all_gather(sums.data(), sums.size() * sizeof(LinkAverages), all.data());
  LinkAverages total;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    for (Index row = 0; row < slices.count(rank) * rows_of_slice; ++row) {
      const LinkAverages& sum = all[static_cast<std::size_t>(rank * most + row)];
      total.plaquette += sum.plaquette;
      total.link_trace += sum.link_trace;
    }
  }
  const auto sites = static_cast<double>(whole.count());
  return {total.plaquette / (18 * sites), total.link_trace / (12 * sites)};
}

LinkAverages link_averages(const Extents& extents, const HostLinks& links) {
  const auto one = comm::alone();
  return link_averages(Slices(*one, extents), links);
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

namespace {
/// The worst of several, the first of equals; the first that is no number.
Unitarity worst_of(const std::vector<Unitarity>& all) {
  Unitarity result;
  for (const Unitarity& w : all) {
    if (std::isnan(result.distance)) break;
    if (!(w.distance <= result.distance)) result = w;
  }
  return result;
}
} // namespace

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
  return worst_of(worst);
}

Unitarity unitarity(const Slices& slices, const HostLinks& links) {
  Unitarity mine = unitarity(links);
  mine.link += 4 * slices.first_site();
  return worst_of(slices.ranks().gather(mine));
}

namespace {

/// Whether a link's first two rows say which element of SU(3) is near it. The orthogonal part of
/// the second is told from rounding.
bool is_near_su3(Link u) {
  constexpr double rounding = 1e-8;
  double most = 0;
  for (int c = 0; c < 6; ++c)
    most = std::max({most, std::abs(component(u, c).re), std::abs(component(u, c).im)});
  if (!(most > 1e-100 && most < 1e100)) return false; // squares are numbers
  double norms[2] = {};
  lattice::Complex<double> overlap(0.0);
  for (int j = 0; j < 3; ++j) {
    for (int row = 0; row < 2; ++row) {
      const auto& z = u(row, j) = (1 / most) * u(row, j);
      norms[row] += z.re * z.re + z.im * z.im;
    }
    overlap = overlap + conj(u(0, j)) * u(1, j);
  }
  const double all = norms[0] * norms[1];
  const double along = overlap.re * overlap.re + overlap.im * overlap.im;
  return all > 0 && all - along > rounding * all;
}

/// Makes links special unitary but those that are near none; the first of these, or none: their
/// number.
Index restored(HostLinks& links) {
  const auto count = static_cast<Index>(links.size());
  const int all = cpu::default_threads();
  std::vector<Index> first(static_cast<std::size_t>(all), count);
  cpu::run(all, [&](int thread, int threads) {
    const auto mine = cpu::share_of(count, thread, threads);
    for (Index i = mine.end - 1; i >= mine.begin; --i) {
      Link& u = links[static_cast<std::size_t>(i)];
      if (is_near_su3(u)) {
        make_special_unitary(u);
      } else {
        first[static_cast<std::size_t>(thread)] = i;
      }
    }
  });
  return *std::min_element(first.begin(), first.end());
}

} // namespace

void make_special_unitary(const Slices& slices, HostLinks& links) {
  const auto count = static_cast<Index>(links.size());
  const Index mine = restored(links);
  const Index none = 4 * slices.extents().count();
  Index first = none;
  for (const Index one :
       slices.ranks().gather(mine == count ? none : mine + 4 * slices.first_site()))
    first = std::min(first, one);
  if (first == none) return;
  throw Failure(fmt::format("the link at site {} along {} is near no element of SU(3): its first "
                            "two rows are dependent, or no numbers",
                            first / 4, "xyzt"[first % 4]));
}

} // namespace ridge::gauge
