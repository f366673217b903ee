// The library's maps of fields among the built-in kernels.
#pragma once

#include <ridge/lab/kernels/lattice_entry.hpp>

namespace ridge::lab {

struct AxpyEntry : FieldEntry {
  static constexpr const char* name = "lattice-axpy";
  static constexpr const char* meaning = "z = a x + y";
  static constexpr bool ahead = false;
  template <class T>
  static lattice::Axpy<T> make() {
    return {T(0.75)};
  }
};
struct ScaleEntry : FieldEntry {
  static constexpr const char* name = "lattice-scale";
  static constexpr const char* meaning = "z = a x";
  static constexpr bool ahead = false;
  template <class T>
  static lattice::Scale<T> make() {
    return {T(0.75)};
  }
};

namespace built_in {
using maps = OnFields<AxpyEntry, ScaleEntry>;
}

} // namespace ridge::lab
