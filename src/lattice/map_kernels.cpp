// Compiled once per device kind.
#include <ridge/lattice/executor.hpp>

namespace ridge::lattice {

template struct Mapper<Scale<float>, float, Here>;
template struct Mapper<Scale<double>, double, Here>;
template struct Mapper<Axpy<float>, float, Here>;
template struct Mapper<Axpy<double>, double, Here>;

} // namespace ridge::lattice
