// Compiled once per device kind.
#include <ridge/gauge/smear.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourMatrix<double>, gauge::SmearLinks<false>, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::SmearLinks<true>, Here>;

} // namespace ridge::lattice
