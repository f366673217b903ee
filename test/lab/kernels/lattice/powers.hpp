// A new reduction and a new map, as somebody would add them: this file is all that there is of
// them.
#pragma once

#include <ridge/lab/kernels/lattice_entry.hpp>

namespace ridge::lab {

struct FourthPowers : lattice::Reduction {
  static constexpr const char* name = "fourth powers";
  static constexpr double flops = 3;
  template <class V>
  RIDGE_FN V term(const V& x) const {
    return x * x * (x * x);
  }
};

template <class T>
struct Mix {
  static constexpr const char* name = "mix";
  static constexpr int inputs = 2;
  static constexpr double flops = 3;
  T share = 0;
  template <class V>
  RIDGE_FN V operator()(const V& x, const V& y) const {
    return V(share) * x + V(1 - share) * y;
  }
};

struct FourthPowersEntry : FieldEntry {
  static constexpr const char* name = "fourth-powers";
  static constexpr const char* meaning = "the sum of fourth powers";
  static constexpr bool in_lab = true;
  template <class T>
  static FourthPowers make() {
    return {};
  }
};
struct MixEntry : FieldEntry {
  static constexpr const char* name = "mix";
  static constexpr const char* meaning = "z = a x + (1 - a) y";
  template <class T>
  static Mix<T> make() {
    return {T(0.25)};
  }
};

namespace built_in {
using powers = OnFields<FourthPowersEntry, MixEntry>;
}

} // namespace ridge::lab
