// Compiled once per device kind.
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace ridge::stencil {

template struct Executor<Laplacian<2, 1>, float, Here>;
template struct Executor<Laplacian<2, 1>, double, Here>;
template struct Executor<Laplacian<4, 1>, float, Here>;
template struct Executor<Laplacian<4, 1>, double, Here>;
template struct Executor<Laplacian<6, 1>, float, Here>;
template struct Executor<Laplacian<6, 1>, double, Here>;
template struct Executor<Laplacian<8, 1>, float, Here>;
template struct Executor<Laplacian<8, 1>, double, Here>;
template struct Executor<Laplacian<2, 2>, float, Here>;
template struct Executor<Laplacian<2, 2>, double, Here>;
template struct Executor<Laplacian<4, 2>, float, Here>;
template struct Executor<Laplacian<4, 2>, double, Here>;
template struct Executor<Laplacian<6, 2>, float, Here>;
template struct Executor<Laplacian<6, 2>, double, Here>;
template struct Executor<Laplacian<8, 2>, float, Here>;
template struct Executor<Laplacian<8, 2>, double, Here>;

} // namespace ridge::stencil
