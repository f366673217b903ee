// Links between the host, where files are read, and a device.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/lattice/rank_lattice.hpp>

namespace ridge::gauge {

/// Links on the device of the queue, in either precision.
template <class T = double>
[[nodiscard]] Links<T> to_device(Queue& queue, const lattice::Lattice& lattice,
                                 const HostLinks& links) {
  Links<T> fields;
  for (Index mu = 0; mu < 4; ++mu)
    fields.push_back(link_field<T>(queue, lattice, "links", [&](Index i) {
      return links[static_cast<std::size_t>(4 * i + mu)];
    }));
  return fields;
}

namespace detail {
/// A rank's own links on its device: `link(i, mu)` is that of the owned site i, x fastest.
template <class T, class Link>
[[nodiscard]] Links<T> part_to_device(Queue& queue, const lattice::RankLattice& part, int width,
                                      const Link& link) {
  const lattice::Lattice held(part.held().extents(), width == 0 ? part.held().width() : width);
  Links<T> fields;
  std::vector<lattice::ColourMatrix<T>> mine(static_cast<std::size_t>(held.sites()));
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (Index i = 0; i < part.owned().count(); ++i) {
      const lattice::ColourMatrix<double>& u = link(i, mu);
      for (int c = 0; c < 9; ++c)
        component(mine[static_cast<std::size_t>(part.in_held(i))],
                  c) = {static_cast<T>(component(u, c).re), static_cast<T>(component(u, c).im)};
    }
    fields.emplace_back(queue.device(), held, "links");
    fields.back().set(queue, mine);
  }
  return fields;
}
} // namespace detail

/// The links that a rank owns of the whole lattice, on its device, in what it keeps: in
/// vectors of `width` bytes, the part's own where 0.
template <class T = double>
[[nodiscard]] Links<T> to_device(Queue& queue, const lattice::RankLattice& part,
                                 const HostLinks& whole, int width = 0) {
  return detail::part_to_device<T>(queue, part, width, [&](Index i, std::size_t mu) -> const auto& {
    return whole[static_cast<std::size_t>(4 * part.in_whole(i)) + mu];
  });
}
/// A rank's links from those that it owns in plain order, such as to_part gives.
template <class T = double>
[[nodiscard]] Links<T> owned_to_device(Queue& queue, const lattice::RankLattice& part,
                                       const HostLinks& owned) {
  return detail::part_to_device<T>(queue, part, 0, [&](Index i, std::size_t mu) -> const auto& {
    return owned[static_cast<std::size_t>(4 * i) + mu];
  });
}

/// Links times the boundary's factor where they lead from the last site along their dimension to
/// the first. `extents` are those of the whole lattice.
[[nodiscard]] HostLinks with_boundary(const Extents& extents, HostLinks links,
                                      const Boundary& boundary);

namespace detail {
/// Puts the links along mu, one a site, where a configuration has them.
template <class T>
void place_links(HostLinks& links, std::size_t mu,
                 const std::vector<lattice::ColourMatrix<T>>& sites) {
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (int c = 0; c < 9; ++c)
      component(links[4 * i + mu], c) = {static_cast<double>(component(sites[i], c).re),
                                         static_cast<double>(component(sites[i], c).im)};
  }
}
} // namespace detail

/// Links of what a rank owns, in plain order.
template <class T>
[[nodiscard]] HostLinks owned_to_host(Queue& queue, const lattice::RankLattice& part,
                                      const Links<T>& fields) {
  HostLinks links(static_cast<std::size_t>(part.owned().count()) * 4);
  for (std::size_t mu = 0; mu < 4; ++mu)
    detail::place_links(links, mu, get_owned(queue, fields[mu], part));
  return links;
}

template <class T>
[[nodiscard]] HostLinks to_host(Queue& queue, const Links<T>& fields) {
  HostLinks links(static_cast<std::size_t>(fields.front().lattice().sites()) * 4);
  for (std::size_t mu = 0; mu < 4; ++mu)
    detail::place_links(links, mu, fields[mu].get(queue));
  return links;
}

} // namespace ridge::gauge
