// Compiled once per device kind.
#include <ridge/lattice/residual.hpp>
#include <ridge/lattice/site_executor.hpp>
#include <ridge/lattice/within.hpp>

namespace ridge::lattice {

template struct SiteReducer<ResidualNorm2<float, false>, Here>;
template struct SiteReducer<ResidualNorm2<double, false>, Here>;
template struct SiteReducer<ResidualNorm2<float, true>, Here>;
template struct SiteReducer<ResidualNorm2<double, true>, Here>;
// Over ranks.
template struct SiteReducer<SummandWithin<ResidualNorm2<float, true>>, Here>;
template struct SiteReducer<SummandWithin<ResidualNorm2<double, true>>, Here>;

// What checks take them from.
template struct Assigner<ColourVector<float>, Residual<float>, Here>;
template struct Assigner<ColourVector<double>, Residual<double>, Here>;

} // namespace ridge::lattice
