// A number of a kernel, such as a softening length, that is read in the precision of each launch.
#pragma once

#include <ridge/core/pack.hpp>

#include <type_traits>

namespace ridge {

/// A double that also keeps itself rounded to fp32: a GPU converts a plain double again wherever a
/// loop in fp32 reads it, as that seems cheaper to its compiler than a register.
class Coefficient {
public:
  // A number is one without being asked to.
  constexpr Coefficient(double value) : wide_(value), narrow_(static_cast<float>(value)) {}

  constexpr operator double() const { return wide_; }

  /// For values of type V, a pack or a number.
  template <class V>
  RIDGE_FN V as() const {
    if constexpr (std::is_same_v<Element<V>, float>) {
      return V(narrow_);
    } else {
      return V(wide_);
    }
  }

private:
  double wide_;
  float narrow_;
};

} // namespace ridge
