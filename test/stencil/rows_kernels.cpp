// Points in packs, and marches over rows that begin anywhere, for footprints of all kinds.
#include <ridge/core/config.hpp>

#if !defined(RIDGE_TARGET_CPU)
#include <ridge/stencil/variants.hpp>

#include "rows_kernels.hpp"

namespace ridge::stencil {

template <class K, class T>
struct PointsList<test::InPacks<K>, T> {
  static constexpr std::array values{PointsVariant{},
                                     PointsVariant{1, Loads::packs, Store::plain, 1024},
                                     PointsVariant{4, Loads::packs, Store::plain, 1024},
                                     PointsVariant{4, Loads::ascending, Store::plain, 1024}};
};
template <class K, class T>
struct MarchList<test::InPacks<K>, T> {
  static constexpr std::array values{MarchVariant{32, 2, 2, Store::plain, Rows::joined},
                                     MarchVariant{64, 1, 4, Store::plain, Rows::joined},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::lines, true},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::packs, true},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::anywhere, true}};
};
template <class K, class T>
struct WindowList<test::InPacks<K>, T> {
  static constexpr std::array<MarchVariant, 0> values{};
};

} // namespace ridge::stencil

#include <ridge/stencil/executor.hpp>

namespace ridge::stencil {

template struct Executor<test::InPacks<Laplacian<2, 3>>, float, Here>;
template struct Executor<test::InPacks<Laplacian<2, 3>>, double, Here>;
template struct Executor<test::InPacks<Laplacian<8, 3>>, float, Here>;
template struct Executor<test::InPacks<Laplacian<4, 3>>, double, Here>;
template struct Executor<test::InPacks<Box27>, float, Here>;
template struct Executor<test::InPacks<Box27>, double, Here>;
template struct Executor<test::InPacks<test::Uneven>, double, Here>;
template struct Executor<test::InPacks<test::Lopsided>, float, Here>;
template struct Executor<test::InPacks<test::Advection>, float, Here>;
template struct Executor<test::InPacks<Laplacian<2, 2>>, float, Here>;
template struct Executor<test::InPacks<Laplacian<2, 2>>, double, Here>;
template struct Executor<test::InPacks<Laplacian<8, 2>>, float, Here>;
template struct Executor<test::InPacks<Laplacian<8, 2>>, double, Here>;
template struct Executor<test::InPacks<Laplacian<8, 1>>, float, Here>;

} // namespace ridge::stencil
#endif
