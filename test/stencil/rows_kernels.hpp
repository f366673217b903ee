// Kernels that are compiled for rows of all alignments, and for nothing else.
#pragma once

#include "test_kernels.hpp"

namespace ridge::stencil::test {

/// A type of its own, so that what other sources compile of K is another program's.
template <class K>
struct InPacks : K {
  using K::K;
  InPacks() = default;
  explicit InPacks(const K& k) : K(k) {}
};

/// A linear kernel that writes its sum in all ways that numbers and neighbours go together, and
/// reads other neighbours above than below.
struct Uneven {
  static constexpr auto footprint =
      Footprint<6>{{{{0, 0, 0}, {1, 0, 0}, {0, -1, 1}, {-1, 1, 2}, {0, 0, -1}, {2, 0, -1}}}};
  static constexpr bool linear = true;
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    auto sum = -u(0, -1, 1) * 0.25;
    sum += u(1, 0, 0) / 2.0 - u(-1, 1, 2);
    sum -= 3 * u(0, 0, -1);
    return 0.5 * (u(2, 0, -1) - u(0, 0, 0)) - sum;
  }
};

} // namespace ridge::stencil::test
