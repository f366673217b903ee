// Compiled once per device kind.
#include "gauge.hpp"

#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<Spinor<double>, ridge::gauge::Hopping<double>, Here>;
template struct SiteLooper<Complex<double>, ::gauge::Plaquettes, Here>;
template struct Assigner<ColourMatrix<double>, ::gauge::TurnedLink, Here>;
template struct Assigner<Spinor<double>, ::gauge::TurnedFermion, Here>;

} // namespace ridge::lattice
