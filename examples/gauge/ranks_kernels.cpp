// Kernels of gauge_ranks. Compiled once per device kind.
#include <ridge/lattice/site_executor.hpp>
#include <ridge/lattice/within.hpp>

#include "gauge.hpp"

namespace ridge::lattice {

template struct SiteLooper<Spinor<double>, Within<ridge::gauge::Hopping<double>>, Here>;
template struct SiteLooper<Complex<double>, Within<::gauge::Plaquettes>, Here>;

} // namespace ridge::lattice
