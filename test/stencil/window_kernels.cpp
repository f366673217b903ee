// Marches with windows of registers for footprints of all kinds, compiled for the emulated and for
// real GPUs.
#include <ridge/core/config.hpp>

#if !defined(RIDGE_TARGET_CPU)
#undef RIDGE_AHEAD_ALL
#define RIDGE_STENCIL_POINTS 1, Loads::stencil, Store::plain, 1024
#include <ridge/stencil/variants.hpp>

#include "window_kernels.hpp"

namespace ridge::stencil {

template <class K, class T>
struct WindowList<test::Windowed<K>, T> {
  static constexpr std::array values{MarchVariant{32, 2, 2, Store::plain, Rows::packs},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::anywhere}};
};

} // namespace ridge::stencil

#include <ridge/stencil/executor.hpp>

namespace ridge::stencil {

template struct Executor<test::Windowed<Laplacian<2, 1>>, float, Here>;
template struct Executor<test::Windowed<Laplacian<4, 2>>, double, Here>;
template struct Executor<test::Windowed<Laplacian<2, 3>>, float, Here>;
template struct Executor<test::Windowed<Laplacian<4, 3>>, float, Here>;
template struct Executor<test::Windowed<Laplacian<6, 3>>, double, Here>;
template struct Executor<test::Windowed<Laplacian<8, 3>>, float, Here>;
template struct Executor<test::Windowed<Laplacian<8, 3>>, double, Here>;
template struct Executor<test::Windowed<Box27>, float, Here>;
template struct Executor<test::Windowed<Box27>, double, Here>;
template struct Executor<test::Windowed<test::Lopsided>, float, Here>;
template struct Executor<test::Windowed<test::Advection>, double, Here>;
template struct Executor<test::Windowed<test::Pulse>, double, Here>;

} // namespace ridge::stencil
#endif
