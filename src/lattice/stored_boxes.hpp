// How the sites of stored fields come to their grids; of one rank and of several.
#pragma once

#include <ridge/lattice/stored/field.hpp>

namespace ridge::lattice::detail {

/// Throws UsageError for other than four dimensions, and for half lattices with an odd extent.
void check_stored_extents(const Extents& extents, bool halves);
/// The sites of a lattice, their extents and parity, not yet in groups. Throws UsageError as
/// site_grid.
[[nodiscard]] SiteGrid stored_sites(const Extents& extents, Sites sites, int inner);
/// The same in groups of a device. Boxes cut a dimension only where `cut` says so.
[[nodiscard]] SiteGrid placed_sites(const Device& device, SiteGrid g, int real_bytes,
                                    const bool (&cut)[grid_dimensions]);

} // namespace ridge::lattice::detail
