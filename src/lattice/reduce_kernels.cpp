// Compiled once per device kind.
#include <ridge/lattice/executor.hpp>

namespace ridge::lattice {

template struct Reducer<Sum, float, Here>;
template struct Reducer<Sum, double, Here>;
template struct Reducer<Norm2, float, Here>;
template struct Reducer<Norm2, double, Here>;
template struct Reducer<InnerProduct, float, Here>;
template struct Reducer<InnerProduct, double, Here>;
template struct Reducer<AxpyNorm<float>, float, Here>;
template struct Reducer<AxpyNorm<double>, double, Here>;
template struct Reducer<Max, float, Here>;
template struct Reducer<Max, double, Here>;

} // namespace ridge::lattice
