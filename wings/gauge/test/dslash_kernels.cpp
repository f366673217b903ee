// Operators on stored fields, compiled once per device kind.
#include <ridge/gauge/cg_step.hpp>
#include <ridge/gauge/dslash.hpp>
#include <ridge/gauge/recode.hpp>
#include <ridge/lattice/stored/executor.hpp>

namespace ridge::lattice {

template struct StoredLooper<gauge::Dslash<double, 18>, Here>;
template struct StoredLooper<gauge::Dslash<double, 12>, Here>;
template struct StoredLooper<gauge::Dslash<float, 18>, Here>;
template struct StoredLooper<gauge::Dslash<Fixed16, 12>, Here>;
template struct StoredLooper<gauge::CgStep<double>, Here>;
template struct StoredLooper<gauge::CgStep<float>, Here>;
template struct StoredLooper<gauge::CgStep<Fixed16>, Here>;
template struct StoredLooper<gauge::Recode<float, Fixed16>, Here>;
template struct StoredLooper<gauge::Recode<Fixed16, float>, Here>;

} // namespace ridge::lattice
