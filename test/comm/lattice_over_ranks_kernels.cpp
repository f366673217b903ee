// Compiled once per device kind.
#include <ridge/lattice/site_executor.hpp>

#include "lattice_kernels.hpp"

namespace ridge::lattice {

using comm::test::Colour;
using comm::test::Corners;
using comm::test::Hop;
using comm::test::Mixed;

template struct SiteLooper<Colour, Hop, Here>;
template struct SiteLooper<Colour, Within<Hop>, Here>;
template struct SiteLooper<float, Corners, Here>;
template struct SiteLooper<float, Within<Corners>, Here>;
template struct SiteLooper<Colour, Mixed, Here>;
template struct SiteLooper<Colour, Within<Mixed>, Here>;

} // namespace ridge::lattice
