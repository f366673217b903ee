// Compiled once per device kind.
#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<Spinor<double>, gauge::Wilson<double>, Here>;
template struct SiteLooper<Spinor<float>, gauge::Wilson<float>, Here>;

} // namespace ridge::lattice
