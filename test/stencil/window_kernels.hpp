// Kernels that are compiled for stage=window and for one point a thread, and for nothing else.
#pragma once

#include "test_kernels.hpp"

namespace ridge::stencil::test {

/// A type of its own, so that what other sources compile of K is another program's.
template <class K>
struct Windowed : K {
  using K::K;
  Windowed() = default;
  explicit Windowed(const K& k) : K(k) {}
};

} // namespace ridge::stencil::test
