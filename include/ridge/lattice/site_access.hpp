// How site kernels read and write whole tensors: all that their sources need where they are
// compiled for a device alone.
#pragma once

#include <ridge/lattice/site_view.hpp>

namespace ridge::lattice {

/// The tensor of a field at a site.
template <class At, class S>
RIDGE_FN auto coalesced_read(const At& at, const SiteView<S>& view) {
  using Tensor = std::remove_const_t<S>;
  Over<Tensor, typename At::template Value<RealOf<Tensor>>> site;
  RIDGE_UNROLL
  for (int c = 0; c < components_of<Tensor>; ++c)
    component(site, c) = at.load(view, c);
  return site;
}

/// Stores a tensor. The field has numbers of the size that the loop goes by.
template <class At, class S, class Value>
RIDGE_FN void coalesced_write(const At& at, const SiteView<S>& view, const Value& site) {
  RIDGE_UNROLL
  for (int c = 0; c < components_of<S>; ++c)
    at.store(view, c, component(site, c));
}

} // namespace ridge::lattice
