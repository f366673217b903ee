// Time levels of kernels that evolve: that give the next value of their first input.
#pragma once

namespace ridge::stencil {

/// How many of K's inputs are time levels, the newest first; 1 where it does not say.
template <class K>
constexpr int levels_of() {
  if constexpr (requires { K::levels; }) {
    return K::levels;
  } else {
    return 1;
  }
}

} // namespace ridge::stencil
