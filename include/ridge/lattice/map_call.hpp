// Maps of whole fields, number by number, as functors: z = map(x) or z = map(x, y).
//
//   struct Squares {
//     static constexpr const char* name = "squares";
//     static constexpr int inputs = 1;
//     static constexpr double flops = 1; // a real number
//     template <class V> RIDGE_FN V operator()(const V& x) const { return x * x; }
//   };
//   template struct ridge::lattice::Mapper<Squares, double, ridge::Here>; // in a kernel source
//
// V is a pack of the fields' real type, of one at least.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/lattice/site_view.hpp>

namespace ridge::lattice {

/// a x.
template <class T>
struct Scale {
  static constexpr const char* name = "scale";
  static constexpr int inputs = 1;
  static constexpr double flops = 1;
  T a = 0;
  template <class V>
  RIDGE_FN V operator()(const V& x) const {
    return V(a) * x;
  }
};

/// a x + y.
template <class T>
struct Axpy {
  static constexpr const char* name = "axpy";
  static constexpr int inputs = 2;
  static constexpr double flops = 2;
  T a = 0;
  template <class V>
  RIDGE_FN V operator()(const V& x, const V& y) const {
    return V(a) * x + y;
  }
};

/// A map of fields of one lattice and one shape, as flat memory; z may be x or y.
template <class M, class T>
struct MapCall {
  M map = {};
  SiteShape shape;
  Geometry geometry;
  Span<const T> x, y;
  Span<T> z;
};

} // namespace ridge::lattice
