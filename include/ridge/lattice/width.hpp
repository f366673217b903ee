// How wide the vectors of a lattice are best.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/device.hpp>

namespace ridge::lattice {

/// Whether a lattice can be cut into so many equal boxes, a power of two.
[[nodiscard]] bool can_be_cut(const Extents& extents, int boxes);

/// The bytes of a vector with which expressions of sites with numbers of `number_bytes` are fastest
/// on a device: Lattice::default_width on a cpu; on a GPU 256, whose lanes read whole lines of a
/// component, or less where the lattice cannot be cut into so many boxes, but no less than
/// Lattice::default_width (docs/design/lattices.md).
[[nodiscard]] int width_for(const Device& device, const Extents& extents, int number_bytes);

} // namespace ridge::lattice
