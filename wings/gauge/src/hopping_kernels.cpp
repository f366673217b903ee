// Compiled once per device kind.
#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<Spinor<float>, gauge::Hopping<float>, Here>;
template struct SiteLooper<Spinor<double>, gauge::Hopping<double>, Here>;

} // namespace ridge::lattice
