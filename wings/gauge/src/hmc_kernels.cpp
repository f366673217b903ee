// Compiled once per device kind.
#include <ridge/gauge/hmc_fermions.hpp>
#include <ridge/gauge/outer.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourMatrix<double>, gauge::DrawMomenta, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::KickMomenta, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::MoveLinks, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::KickByFermions, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::ScaleLinks, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::HopsByLinks<Spinor<double>>, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::HopsByLinks<ColourVector<double>>, Here>;
template struct SiteLooper<Spinor<double>, gauge::DrawPseudofermions, Here>;

} // namespace ridge::lattice
