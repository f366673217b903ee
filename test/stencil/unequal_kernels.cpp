// Marches over rows of all alignments, of kernels whose inputs are read unequally far.
#include <ridge/core/config.hpp>

#if !defined(RIDGE_TARGET_CPU)
#include <ridge/stencil/variants.hpp>

#include "unequal_kernels.hpp"

namespace ridge::stencil {

template <class K, class T>
struct PointsList<test::Unequal<K>, T> {
  static constexpr std::array values{PointsVariant{}};
};
template <class K, class T>
struct MarchList<test::Unequal<K>, T> {
  static constexpr std::array values{
      MarchVariant{32, 2, 2, Store::plain, Rows::lines, false},
      MarchVariant{32, 2, 2, Store::plain, Rows::packs, false},
      MarchVariant{32, 2, 2, Store::plain, Rows::anywhere, false},
      MarchVariant{32, 2, 2, Store::plain, Rows::joined, false},
      MarchVariant{32, 2, 2, Store::plain, Rows::packs, false, true}};
};
template <class T>
struct MarchList<test::Unequal<test::Summed>, T> {
  static constexpr std::array values{MarchVariant{32, 2, 2, Store::plain, Rows::lines, true},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::packs, true},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::anywhere, true},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::joined, false},
                                     MarchVariant{32, 2, 2, Store::plain, Rows::packs, true, true}};
};
/// Planes of one input in tiles are kept in registers from the point's own on.
template <class T>
struct MarchList<test::Unequal<Laplacian<8, 3>>, T> {
  static constexpr std::array values{
      MarchVariant{32, 2, 2, Store::plain, Rows::packs, false, true}};
};
template <class K, class T>
struct WindowList<test::Unequal<K>, T> {
  static constexpr std::array<MarchVariant, 0> values{};
};

} // namespace ridge::stencil

#include <ridge/stencil/executor.hpp>

namespace ridge::stencil {

template struct Executor<test::Unequal<test::Medium>, float, Here>;
template struct Executor<test::Unequal<test::Medium>, double, Here>;
template struct Executor<test::Unequal<test::Assorted>, float, Here>;
template struct Executor<test::Unequal<test::Carrying>, float, Here>;
template struct Executor<test::Unequal<test::Carrying>, double, Here>;
template struct Executor<test::Unequal<test::Summed>, float, Here>;
template struct Executor<test::Unequal<Laplacian<8, 3>>, float, Here>;
template struct Executor<test::Unequal<Laplacian<8, 3>>, double, Here>;

} // namespace ridge::stencil
#endif
