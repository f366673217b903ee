// One of reduce_kernels.cpp, of which machine code is made where nothing runs it (RIDGE_GPU_SAMPLE).
#include <ridge/lattice/executor.hpp>

namespace ridge::lattice {

template struct Reducer<Norm2, float, Here>;

} // namespace ridge::lattice
