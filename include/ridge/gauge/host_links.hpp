// Links between the host, where files are read, and a device.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>

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

template <class T>
[[nodiscard]] HostLinks to_host(Queue& queue, const Links<T>& fields) {
  HostLinks links(static_cast<std::size_t>(fields.front().lattice().sites()) * 4);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto sites = fields[mu].get(queue);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      for (int c = 0; c < 9; ++c)
        component(links[4 * i + mu], c) = {static_cast<double>(component(sites[i], c).re),
                                           static_cast<double>(component(sites[i], c).im)};
    }
  }
  return links;
}

} // namespace ridge::gauge
