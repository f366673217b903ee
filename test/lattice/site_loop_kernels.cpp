// Compiled once per device kind.
#include "site_loop_kernels.hpp"

#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourVector<double>, test::Unnamed, Here>;
template struct SiteLooper<ColourVector<double>, test::Named, Here>;
template struct SiteLooper<ColourVector<double>, test::Weighted, Here>;

} // namespace ridge::lattice
