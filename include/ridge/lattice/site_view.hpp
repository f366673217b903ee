// Fields of site tensors as kernels see them.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/lattice/geometry.hpp>
#include <ridge/lattice/tensor.hpp>

#include <type_traits>

namespace ridge::lattice {

struct FieldLabel; // ridge/lattice/field.hpp
template <class Site>
class Field;

/// A field without its type: what reductions, conversions and files need to know.
struct SiteShape {
  int components = 1;
  bool complex = true;
  int real_bytes = 8;

  [[nodiscard]] RIDGE_FN int parts() const { return complex ? 2 : 1; }
  [[nodiscard]] RIDGE_FN int number_bytes() const { return real_bytes * parts(); }
  [[nodiscard]] RIDGE_FN int site_bytes() const { return number_bytes() * components; }
  friend bool operator==(const SiteShape&, const SiteShape&) = default;
};

template <class Site>
[[nodiscard]] constexpr SiteShape shape_of() {
  return {components_of<Site>, is_complex<Site>, static_cast<int>(sizeof(RealOf<Site>))};
}

/// A field as kernels see it: its real numbers, and where its sites lie. `Site` may be const.
template <class Site>
struct SiteView {
  using Tensor = std::remove_const_t<Site>;
  using Real = RealOf<Tensor>;
  using Element = std::conditional_t<std::is_const_v<Site>, const Real, Real>;
  Span<Element> reals;
  Geometry geometry;

  SiteView() = default;
  RIDGE_FN SiteView(const Span<Element>& reals_, const Geometry& geometry_)
      : reals(reals_), geometry(geometry_) {}
  template <class Other>
  requires std::is_same_v<const Other, Site>
      RIDGE_FN SiteView(const SiteView<Other>& v) // NOLINT(google-explicit-constructor)
      : reals(v.reals), geometry(v.geometry) {}

  /// Index of the first real of component `c` at a place.
  [[nodiscard]] RIDGE_FN Index at(const Place& p, int c) const {
    constexpr int parts = is_complex<Tensor> ? 2 : 1;
    return ((p.group * components_of<Tensor> + c) * geometry.nsimd + p.lane) * parts;
  }
};

} // namespace ridge::lattice
