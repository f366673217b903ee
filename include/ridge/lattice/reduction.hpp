// Reductions as functors: what a field's numbers add to a result. Executors know none of them, so
// that a reduction of the user's own is one more functor,
//
//   struct FourthPowers : ridge::lattice::Reduction {
//     static constexpr const char* name = "fourth powers";
//     static constexpr double flops = 4; // a real number
//     template <class V> RIDGE_FN V term(const V& x) const { return x * x * x * x; }
//   };
//
// which a kernel source, compiled once per device kind, instantiates:
//
//   #include <ridge/lattice/executor.hpp>
//   template struct ridge::lattice::Reducer<FourthPowers, double, ridge::Here>;
//
// Fields are seen as real numbers, widened to double: V is a pack of them, of one at least.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/lattice/accumulator.hpp>

namespace ridge::lattice {

/// Where the real and imaginary parts of complex numbers go: both to one result; each to one of its
/// own; or as in inner products, x' y + x" y" to the first and x' y" - x" y' to the second.
enum class Parts { joined, apart, crossed };

/// A reduction's defaults; to derive from. A functor has `term(x)`, or
/// `term(x, y)` of two inputs that it does not store; where reductions of it are to be reproducible
/// that is a single operation. Crossed ones have term(-x, y) = -term(x, y).
struct Reduction {
  static constexpr int inputs = 1;            ///< fields that are read
  static constexpr bool stores = false;       ///< z = stored(x, y) is stored, and term(z) reduced
  static constexpr bool by_component = false; ///< a result for each component of the site tensor
  static constexpr bool rounds = true;        ///< false where a term is the number itself
  static constexpr bool in_boxes = false;     ///< also compiled for boxes within fields
  static constexpr Parts parts = Parts::joined;
  template <class V>
  using Accumulator = PlainSum<V>; ///< see ridge/lattice/accumulator.hpp
};

/// The tensor, component by component.
struct Sum : Reduction {
  static constexpr const char* name = "sum";
  static constexpr double flops = 1;
  static constexpr bool in_boxes = true;
  static constexpr bool by_component = true;
  static constexpr bool rounds = false;
  static constexpr Parts parts = Parts::apart;
  template <class V>
  RIDGE_FN V term(const V& x) const {
    return x;
  }
};

/// The squares of all real numbers.
struct Norm2 : Reduction {
  static constexpr const char* name = "norm2";
  static constexpr double flops = 2;
  static constexpr bool in_boxes = true;
  template <class V>
  RIDGE_FN V term(const V& x) const {
    return x * x;
  }
};

/// conj(x) y over all components.
struct InnerProduct : Reduction {
  static constexpr const char* name = "inner_product";
  static constexpr double flops = 2;
  static constexpr bool in_boxes = true;
  static constexpr int inputs = 2;
  static constexpr Parts parts = Parts::crossed;
  template <class V>
  RIDGE_FN V term(const V& x, const V& y) const {
    return x * y;
  }
};

/// z = a x + y is stored, and its norm2 reduced.
template <class T>
struct AxpyNorm : Reduction {
  static constexpr const char* name = "axpy_norm";
  static constexpr double flops = 4;
  static constexpr int inputs = 2;
  static constexpr bool stores = true;
  T a = 0;
  /// V is a pack of T, of one at least.
  template <class V>
  RIDGE_FN V stored(const V& x, const V& y) const {
    return V(a) * x + y;
  }
  template <class V>
  RIDGE_FN V term(const V& z) const {
    return z * z;
  }
};

/// The greatest real number; NaN when there is one.
struct Max : Reduction {
  static constexpr const char* name = "max";
  static constexpr double flops = 1;
  static constexpr bool rounds = false;
  template <class V>
  using Accumulator = Greatest<V>;
  template <class V>
  RIDGE_FN V term(const V& x) const {
    return x;
  }
};

/// The term of numbers, or of packs of them. The reduction sees packs, of which functions and
/// choices are found without a namespace.
template <class R, class V, class... More>
RIDGE_FN V term_of(const R& reduction, const V& x, const More&... y) {
  if constexpr (std::is_arithmetic_v<V>) {
    using One = Pack<V, 1>;
    return One(reduction.term(One(x), One(y)...))[0];
  } else {
    return reduction.term(x, y...);
  }
}
/// The value that it stores for numbers.
template <class R, class T, class... More>
RIDGE_FN T stored_of(const R& reduction, T x, More... y) {
  using One = Pack<T, 1>;
  return One(reduction.stored(One(x), One(y)...))[0];
}

/// Whether a reduction adds up, so that its result depends on the order unless sums are binned.
template <class R>
inline constexpr bool adds_up =
    std::is_same_v<typename R::template Accumulator<double>, PlainSum<double>>;

} // namespace ridge::lattice
