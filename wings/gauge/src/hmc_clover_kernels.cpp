// Compiled once per device kind.
#include <ridge/gauge/hmc_clover.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourMatrix<double>, gauge::InvertCloverTerm, Here>;
template struct SiteLooper<Spinor<double>, gauge::CloverAtSites, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::CloverByLeaves, Here>;
// For AMD GPUs compiled when asked for: 48 and more registers go to memory.
#if !defined(RIDGE_TARGET_HIP)
template struct SiteLooper<ColourMatrix<double>, gauge::MakeCloverTerm, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::KickByClover, Here>;
#endif

} // namespace ridge::lattice
