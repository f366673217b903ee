// Compiled once per device kind.
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace ridge::stencil {

template struct Executor<Laplacian<4, 3>, float, Here>;
template struct Executor<Laplacian<4, 3>, double, Here>;
template struct Executor<Laplacian<6, 3>, float, Here>;
template struct Executor<Laplacian<6, 3>, double, Here>;
template struct Executor<Laplacian<8, 3>, float, Here>;
template struct Executor<Laplacian<8, 3>, double, Here>;

} // namespace ridge::stencil
