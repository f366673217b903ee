// Compiled once per device kind.
#include <ridge/gauge/hmc_links.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourMatrix<double>, gauge::DrawMomenta, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::KickMomenta, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::MoveLinks, Here>;

} // namespace ridge::lattice
