// Compiled once per device kind.
#include <ridge/lattice/executor.hpp>

namespace ridge::lattice {

template struct Shifter<float, Here>;
template struct Shifter<double, Here>;

} // namespace ridge::lattice
