// Compiled once per device kind.
#if defined(RIDGE_TARGET_CPU)
#include <ridge/lattice/cpu_reduce_run.hpp>
#else
#include <ridge/lattice/gpu_reducer.hpp>
#endif

namespace ridge::lattice {

template struct Reducer<float, Here>;
template struct Reducer<double, Here>;

} // namespace ridge::lattice
