// Compiled once per device kind.
#include <ridge/lab/hopping.hpp>
#include <ridge/lattice/site_executor.hpp>

namespace ridge::lattice {

template struct SiteLooper<Spinor<float>, lab::Hopping<float>, Here>;
template struct SiteLooper<Spinor<double>, lab::Hopping<double>, Here>;

} // namespace ridge::lattice
