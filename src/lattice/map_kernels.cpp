// Compiled once per device kind.
#if defined(RIDGE_TARGET_CPU)
#include <ridge/lattice/cpu_map.hpp>
#else
#include <ridge/lattice/gpu_map.hpp>
#endif

namespace ridge::lattice {

template struct Mapper<float, Here>;
template struct Mapper<double, Here>;

} // namespace ridge::lattice
