// Compiled once per device kind.
#include <ridge/gauge/fifth_dimension.hpp>
#include <ridge/lattice/stored/executor.hpp>

namespace ridge::lattice {

template struct StoredLooper<gauge::FifthDimension<double>, Here>;
template struct StoredLooper<gauge::FifthDimension<float>, Here>;

} // namespace ridge::lattice
