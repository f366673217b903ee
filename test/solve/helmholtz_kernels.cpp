// Compiled once per device kind.
#include <ridge/lattice/site_executor.hpp>

#include "helmholtz.hpp"

namespace ridge::lattice {

template struct Assigner<double, solve::test::Helmholtz<double>, Here>;
template struct Assigner<float, solve::test::Helmholtz<float>, Here>;

} // namespace ridge::lattice
