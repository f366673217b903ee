// The library's reductions of fields among the built-in kernels.
#pragma once

#include <ridge/lab/kernels/lattice_entry.hpp>

namespace ridge::lab {

/// Functors that src/lattice/reduce_kernels.cpp compiles.
template <class F>
struct LibraryReduction : FieldEntry {
  static constexpr bool ahead = false;
  template <class T>
  static F make() {
    return {};
  }
};

struct SumEntry : LibraryReduction<lattice::Sum> {
  static constexpr const char* name = "lattice-sum";
  static constexpr const char* meaning = "the sum of a field of site tensors (--site)";
};
struct Norm2Entry : LibraryReduction<lattice::Norm2> {
  static constexpr const char* name = "lattice-norm2";
  static constexpr const char* meaning = "the sum of the squares of a field";
};
struct InnerEntry : LibraryReduction<lattice::InnerProduct> {
  static constexpr const char* name = "lattice-inner";
  static constexpr const char* meaning = "the inner product of two fields";
  static constexpr bool in_lab = true;
};
struct AxpyNormEntry : FieldEntry {
  static constexpr const char* name = "lattice-axpy-norm";
  static constexpr const char* meaning = "z = a x + y and the norm2 of z";
  static constexpr bool ahead = false;
  template <class T>
  static lattice::AxpyNorm<T> make() {
    return {{}, T(0.75)};
  }
};

struct SliceSumEntry : SumEntry {
  static constexpr const char* name = "lattice-slice-sum";
  static constexpr const char* meaning = "a sum for each slice of the last dimension";
  static constexpr bool slices = true;
  static constexpr bool in_lab = true;
};
struct SliceNorm2Entry : Norm2Entry {
  static constexpr const char* name = "lattice-slice-norm2";
  static constexpr const char* meaning = "the same of norm2";
  static constexpr bool slices = true;
};
struct SliceInnerEntry : InnerEntry {
  static constexpr const char* name = "lattice-slice-inner";
  static constexpr const char* meaning = "the same of the inner product";
  static constexpr bool slices = true;
  static constexpr bool in_lab = false;
};

struct ReproducibleSumEntry : SumEntry {
  static constexpr const char* name = "lattice-sum-reproducible";
  static constexpr const char* meaning =
      "the sum with the same bits on every device and under every schedule";
  static constexpr bool reproducible = true;
};
struct ReproducibleNorm2Entry : Norm2Entry {
  static constexpr const char* name = "lattice-norm2-reproducible";
  static constexpr const char* meaning = "norm2 likewise";
  static constexpr bool reproducible = true;
  static constexpr bool in_lab = true;
};
struct ReproducibleInnerEntry : InnerEntry {
  static constexpr const char* name = "lattice-inner-reproducible";
  static constexpr const char* meaning = "the inner product likewise";
  static constexpr bool reproducible = true;
  static constexpr bool in_lab = false;
};

namespace built_in {
using reductions =
    OnFields<SumEntry, Norm2Entry, InnerEntry, AxpyNormEntry, SliceSumEntry, SliceNorm2Entry,
             SliceInnerEntry, ReproducibleSumEntry, ReproducibleNorm2Entry, ReproducibleInnerEntry>;
}

} // namespace ridge::lab
