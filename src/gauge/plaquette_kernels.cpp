// Compiled once per device kind.
#include <ridge/gauge/plaquette.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<Complex<double>, gauge::Plaquettes, Here>;

} // namespace ridge::lattice
