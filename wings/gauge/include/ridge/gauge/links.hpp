// Links of a lattice: four fields of 3x3 matrices; U_mu(x) leads from x to x + mu.
#pragma once

#include <ridge/gauge/su3.hpp>
#include <ridge/lattice/field.hpp>

#include <array>
#include <string>
#include <vector>

namespace ridge::gauge {

using lattice::Lattice;

template <class T>
using LinkField = lattice::Field<lattice::ColourMatrix<T>>;
template <class T>
using Links = std::vector<LinkField<T>>; ///< one a dimension

/// A field whose site i, in plain order (x fastest), is `make(i)`, a ColourMatrix<double>.
template <class T, class Make>
[[nodiscard]] LinkField<T> link_field(Queue& queue, const lattice::Lattice& lattice,
                                      const std::string& name, const Make& make) {
  std::vector<lattice::ColourMatrix<T>> sites(static_cast<std::size_t>(lattice.sites()));
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const lattice::ColourMatrix<double> u = make(static_cast<Index>(i));
    for (int c = 0; c < 9; ++c)
      component(sites[i], c) = {static_cast<T>(component(u, c).re),
                                static_cast<T>(component(u, c).im)};
  }
  LinkField<T> field(queue.device(), lattice, name);
  field.set(queue, sites);
  return field;
}

/// Random elements of SU(3), functions of seed and site: the same on every device.
template <class T = double>
[[nodiscard]] LinkField<T> random_link_field(Queue& queue, const lattice::Lattice& lattice,
                                             std::uint64_t seed, double spread = 1) {
  return link_field<T>(queue, lattice, "links " + std::to_string(seed),
                       [&](Index i) { return random_su3(seed, i, spread); });
}

/// Four of them, of seeds seed, seed + 1, ...
template <class T = double>
[[nodiscard]] Links<T> random_links(Queue& queue, const lattice::Lattice& lattice,
                                    std::uint64_t seed, double spread = 1) {
  Links<T> links;
  for (std::uint64_t mu = 0; mu < 4; ++mu)
    links.push_back(random_link_field<T>(queue, lattice, seed + mu, spread));
  return links;
}

/// Links of the free field: the unit matrix everywhere.
template <class T = double>
[[nodiscard]] Links<T> unit_links(Queue& queue, const lattice::Lattice& lattice) {
  Links<T> links;
  for (int mu = 0; mu < 4; ++mu) {
    links.push_back(link_field<T>(queue, lattice, "unit links", [](Index) {
      lattice::ColourMatrix<double> one;
      for (int c = 0; c < 9; ++c)
        component(one, c) = {c % 4 == 0 ? 1.0 : 0.0, 0.0};
      return one;
    }));
  }
  return links;
}

/// Factors of fields that go once around the lattice, along each dimension: 1 is periodic, -1
/// antiperiodic (fermions along time), exp(i theta) twisted, 0 cut.
using Boundary = std::array<lattice::Complex<double>, 4>;
inline const Boundary periodic{lattice::Complex<double>{1, 0}, {1, 0}, {1, 0}, {1, 0}};
inline const Boundary antiperiodic_in_time{lattice::Complex<double>{1, 0}, {1, 0}, {1, 0}, {-1, 0}};

/// Links times the factor where they lead from the last site along their dimension to the first:
/// operators on these have that boundary.
template <class T>
[[nodiscard]] Links<T> with_boundary(Queue& queue, const Links<T>& links,
                                     const Boundary& boundary) {
  Links<T> result;
  for (std::size_t mu = 0; mu < links.size(); ++mu) {
    const lattice::Lattice& lattice = links[mu].lattice();
    auto sites = links[mu].get(queue);
    const lattice::Complex<T> factor{static_cast<T>(boundary[mu].re),
                                     static_cast<T>(boundary[mu].im)};
    Index stride = 1;
    for (int d = 0; d < static_cast<int>(mu); ++d)
      stride *= lattice.extents()[d];
    const Index n = lattice.extents()[static_cast<int>(mu)];
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (static_cast<Index>(i) / stride % n == n - 1) sites[i] = factor * sites[i];
    }
    result.emplace_back(queue.device(), lattice, links[mu].name());
    result.back().set(queue, sites);
  }
  return result;
}

} // namespace ridge::gauge
