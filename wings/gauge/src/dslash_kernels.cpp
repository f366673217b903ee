// Compiled once per device kind.
#include <ridge/gauge/cg_step.hpp>
#include <ridge/gauge/clover.hpp>
#include <ridge/gauge/dslash.hpp>
#include <ridge/gauge/recode.hpp>
#include <ridge/gauge/staggered.hpp>
#include <ridge/lattice/stored/executor.hpp>

namespace ridge::lattice {

template struct StoredLooper<gauge::Dslash<double, 18>, Here>;
template struct StoredLooper<gauge::Dslash<double, 12>, Here>;
template struct StoredLooper<gauge::Dslash<float, 18>, Here>;
template struct StoredLooper<gauge::Dslash<float, 12>, Here>;
template struct StoredLooper<gauge::Dslash<Fixed16, 12>, Here>;
// For AMD GPUs compiled when asked for: 180 and more registers go to memory.
#if !defined(RIDGE_TARGET_HIP)
template struct StoredLooper<gauge::Clover<double, 18>, Here>;
template struct StoredLooper<gauge::Clover<double, 12>, Here>;
#endif
template struct StoredLooper<gauge::Clover<float, 18>, Here>;
template struct StoredLooper<gauge::Clover<float, 12>, Here>;
template struct StoredLooper<gauge::Staggered<double>, Here>;
template struct StoredLooper<gauge::Staggered<float>, Here>;
template struct StoredLooper<gauge::CgStep<double>, Here>;
template struct StoredLooper<gauge::CgStep<float>, Here>;
template struct StoredLooper<gauge::CgStep<Fixed16>, Here>;
template struct StoredLooper<gauge::Recode<float, Fixed16>, Here>;
template struct StoredLooper<gauge::Recode<Fixed16, float>, Here>;

} // namespace ridge::lattice
