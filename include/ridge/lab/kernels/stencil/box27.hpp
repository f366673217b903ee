// A weighted sum over all neighbours; its mathematics are the library's.
#pragma once

#include <ridge/lab/kernels/stencil_entry.hpp>

namespace ridge::lab {

struct BoxEntry : StencilEntry<stencil::Box27> {
  static constexpr const char* name = "box27";
  static constexpr const char* meaning = "the 27-point Laplacian, 3-D, of equal spacing";
  static constexpr bool equal_spacing = true;
  static constexpr bool in_lab = true;
  template <int Rank>
  static stencil::Box27 make(stencil::Spacing h) {
    return stencil::Box27(h.x);
  }
};

namespace built_in {
using box27 = Stencils<BoxEntry>;
}

} // namespace ridge::lab
