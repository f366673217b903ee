// Views from and to those of other libraries: std::mdspan (C++23) and Kokkos::View. Nothing is
// copied, and nothing keeps the memory alive. Ridge includes neither library's headers, but
// <mdspan> where the standard library has it.
//
//   ridge::View<double> u = ridge::from_mdspan(a);          // one to three dimensions
//   auto a = ridge::to_mdspan(u);                           // a[z, y, x]
//   ridge::View<double> v = ridge::from_kokkos(b);          // memory of the host or of a device
//   auto b = ridge::to_kokkos<Kokkos::View<double***, Kokkos::LayoutStride,
//                                          Kokkos::MemoryTraits<Kokkos::Unmanaged>>>(v);
//
// x is the dimension whose items follow each other in memory: the last index of C's order
// (layout_right, LayoutRight), the first of Fortran's (layout_left, LayoutLeft). Where the type
// does not say which, strides do; where those fit both, as of extents of 1, the order is C's.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/view.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

#if __cplusplus > 202002L && __has_include(<mdspan>)
#include <mdspan>
#endif

namespace Kokkos {
struct LayoutLeft;
struct LayoutRight;
struct LayoutStride;
} // namespace Kokkos

namespace ridge {

namespace detail {

enum class IndexOrder { c, fortran, by_strides };

template <class Layout>
inline constexpr IndexOrder order_of_layout = IndexOrder::by_strides;
template <>
inline constexpr IndexOrder order_of_layout<Kokkos::LayoutLeft> = IndexOrder::fortran;
template <>
inline constexpr IndexOrder order_of_layout<Kokkos::LayoutRight> = IndexOrder::c;
#if defined(__cpp_lib_mdspan)
template <>
inline constexpr IndexOrder order_of_layout<std::layout_left> = IndexOrder::fortran;
template <>
inline constexpr IndexOrder order_of_layout<std::layout_right> = IndexOrder::c;
#endif

/// Extents and strides as the other library's indices have them, as a view.
template <class T>
[[nodiscard]] View<T> view_in_order(T* data, int dimensions, const Index* extents,
                                    const Index* strides, IndexOrder order) {
  // Whether x may be index `x`, and y and z those that follow in steps of `step`.
  const auto fits = [&](int x, int step) {
    Index least = 1;
    for (int d = 0; d < dimensions; ++d) {
      const int i = x + d * step;
      if (extents[i] == 1) continue;
      if (d == 0 ? strides[i] != 1 : strides[i] < least) return false;
      least = strides[i] * extents[i];
    }
    return true;
  };
  const bool c = order != IndexOrder::fortran && fits(dimensions - 1, -1);
  if (!c && (order == IndexOrder::c || !fits(0, 1))) {
    throw UsageError(
        "the items of a view follow each other along its first or last index, and rows "
        "and planes lie behind each other; these strides do not fit: copy the array");
  }
  View<T> made(data, {1, 1, 1});
  Index* const to[3] = {&made.extents.x, &made.extents.y, &made.extents.z};
  const auto from = [&](int d) { return c ? dimensions - 1 - d : d; };
  for (int d = 0; d < dimensions; ++d)
    *to[d] = extents[from(d)];
  const auto stride = [&](int d, Index packed) {
    return d<dimensions&& * to[d]> 1 ? strides[from(d)] : packed;
  };
  made.row = stride(1, made.extents.x);
  made.plane = stride(2, made.row * made.extents.y);
  return made;
}

} // namespace detail

/// The view of an mdspan of one to three dimensions; any type with an mdspan's members. Throws
/// UsageError where its strides are not those of rows and planes.
template <class M>
[[nodiscard]] View<typename M::element_type> from_mdspan(const M& m) {
  constexpr auto dimensions = static_cast<int>(M::rank());
  static_assert(dimensions >= 1 && dimensions <= 3, "a view has one to three dimensions");
  Index extents[dimensions];
  Index strides[dimensions];
  for (int d = 0; d < dimensions; ++d) {
    extents[d] = static_cast<Index>(m.extent(static_cast<std::size_t>(d)));
    strides[d] = static_cast<Index>(m.stride(static_cast<std::size_t>(d)));
  }
  return detail::view_in_order<typename M::element_type>(
      m.data_handle(), dimensions, extents, strides,
      detail::order_of_layout<typename M::layout_type>);
}

/// The view of a Kokkos::View of one to three dimensions. Throws UsageError as from_mdspan().
template <class K>
[[nodiscard]] View<typename K::value_type> from_kokkos(const K& k) {
  constexpr int dimensions = static_cast<int>(K::rank);
  static_assert(dimensions >= 1 && dimensions <= 3, "a view has one to three dimensions");
  Index extents[dimensions];
  Index strides[dimensions];
  for (int d = 0; d < dimensions; ++d) {
    extents[d] = static_cast<Index>(k.extent(static_cast<std::size_t>(d)));
    strides[d] = static_cast<Index>(k.stride(static_cast<std::size_t>(d)));
  }
  return detail::view_in_order<typename K::value_type>(
      k.data(), dimensions, extents, strides, detail::order_of_layout<typename K::array_layout>);
}

/// An unmanaged Kokkos::View of three dimensions, of the type that is asked for: of LayoutStride
/// and LayoutRight the indices are (z, y, x), of LayoutLeft (x, y, z). Throws UsageError where
/// LayoutRight or LayoutLeft is asked for and rows or planes have gaps.
template <class K, class T>
[[nodiscard]] K to_kokkos(const View<T>& v) {
  static_assert(K::rank == 3, "ask for a Kokkos::View of three dimensions");
  static_assert(std::is_same_v<typename K::value_type, T>, "its items are of another type");
  using Layout = typename K::array_layout;
  constexpr auto order = detail::order_of_layout<Layout>;
  const auto size = [](Index i) { return static_cast<std::size_t>(i); };
  const Index3 n = v.extents;
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
    return K(v.data, Layout(size(n.z), size(v.plane), size(n.y), size(v.row), size(n.x), 1));
  } else {
    static_assert(order != detail::IndexOrder::by_strides,
                  "ask for LayoutStride, LayoutRight or LayoutLeft");
    if (v.row != n.x || v.plane != n.x * n.y) {
      throw UsageError("rows or planes of the view have gaps, which this layout of Kokkos does not "
                       "have; ask for Kokkos::LayoutStride");
    }
    if constexpr (order == detail::IndexOrder::c) {
      return K(v.data, Layout(size(n.z), size(n.y), size(n.x)));
    } else {
      return K(v.data, Layout(size(n.x), size(n.y), size(n.z)));
    }
  }
}

#if defined(__cpp_lib_mdspan)
/// An mdspan of the same points: item (x, y, z) is [z, y, x].
template <class T>
[[nodiscard]] std::mdspan<T, std::dextents<Index, 3>, std::layout_stride>
to_mdspan(const View<T>& v) {
  using Extents = std::dextents<Index, 3>;
  const std::layout_stride::mapping<Extents> mapping(Extents(v.extents.z, v.extents.y, v.extents.x),
                                                     std::array<Index, 3>{v.plane, v.row, 1});
  return {v.data, mapping};
}
#endif

} // namespace ridge
