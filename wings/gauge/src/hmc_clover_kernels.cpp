// Compiled once per device kind.
#include <ridge/gauge/hmc_clover.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourMatrix<double>, gauge::MakeCloverTerm, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::InvertCloverTerm, Here>;
template struct SiteLooper<Spinor<double>, gauge::CloverAtSites, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::CloverByLeaves, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::KickByClover, Here>;

} // namespace ridge::lattice
