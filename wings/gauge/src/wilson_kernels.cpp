// Compiled once per device kind.
#include <ridge/gauge/one_parity.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<Spinor<double>, gauge::Wilson<double>, Here>;
template struct SiteLooper<Spinor<float>, gauge::Wilson<float>, Here>;
template struct SiteLooper<Spinor<double>, gauge::OneParity<double>, Here>;
template struct SiteLooper<Spinor<float>, gauge::OneParity<float>, Here>;

} // namespace ridge::lattice
