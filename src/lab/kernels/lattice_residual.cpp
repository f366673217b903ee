// Compiled once per device kind.
#include <ridge/lab/lattice_residual.hpp>
#include <ridge/lattice/site_executor.hpp>
#include <ridge/lattice/within.hpp>

namespace ridge::lattice {

template struct SiteReducer<lab::ResidualNorm2<float, false>, Here>;
template struct SiteReducer<lab::ResidualNorm2<double, false>, Here>;
template struct SiteReducer<lab::ResidualNorm2<float, true>, Here>;
template struct SiteReducer<lab::ResidualNorm2<double, true>, Here>;
// Over ranks.
template struct SiteReducer<SummandWithin<lab::ResidualNorm2<float, true>>, Here>;
template struct SiteReducer<SummandWithin<lab::ResidualNorm2<double, true>>, Here>;

// What checks take them from.
template struct Assigner<ColourVector<float>, lab::Residual<float>, Here>;
template struct Assigner<ColourVector<double>, lab::Residual<double>, Here>;

} // namespace ridge::lattice
