// Compiled once per device kind.
#include <ridge/gauge/flow.hpp>
#include <ridge/gauge/gaussian.hpp>
#include <ridge/gauge/loops.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<ColourMatrix<double>, gauge::FlowLinks, Here>;
template struct SiteLooper<Complex<double>, gauge::FieldStrength, Here>;
template struct SiteLooper<ColourMatrix<double>, gauge::ExtendLine, Here>;
template struct SiteLooper<Complex<double>, gauge::LoopTrace, Here>;
template struct SiteLooper<Spinor<double>, gauge::GaussianStep, Here>;

} // namespace ridge::lattice
