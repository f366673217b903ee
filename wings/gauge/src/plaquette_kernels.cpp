// Compiled once per device kind.
#include <ridge/gauge/plaquette.hpp>
#include <ridge/lattice/site_executor.hpp>
#include <ridge/lattice/within.hpp>

namespace ridge::lattice {

template struct SiteLooper<Complex<double>, Within<gauge::Plaquettes>, Here>;

} // namespace ridge::lattice
