// Compiled once per device kind.
#include <ridge/gauge/heatbath.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourMatrix<double>, gauge::UpdateLinks<false>, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::UpdateLinks<true>, Here>;

} // namespace ridge::lattice
