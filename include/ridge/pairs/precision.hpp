// Precisions: what components are stored as, what interactions compute in, what sums are kept in.
#pragma once

#include <type_traits>

namespace ridge::pairs {

struct Fp32 {
  using Stored = float;
  using Computed = float;
  using Summed = float;
  static constexpr const char* name = "fp32";
};

struct Fp64 {
  using Stored = double;
  using Computed = double;
  using Summed = double;
  static constexpr const char* name = "fp64";
};

/// Components in double; positions relative to an origin nearby are rounded to float, interactions
/// are computed in float, and their sums added up in double every few hundred sources.
struct Mixed {
  using Stored = double;
  using Computed = float;
  using Summed = double;
  static constexpr const char* name = "mixed";
};

/// Whether interaction I is compiled for every schedule in precision P, or for the few that names
/// and defaults use.
template <class I, class P>
constexpr bool has_whole_space_of() {
  if constexpr (requires { I::whole_space; }) {
    return I::whole_space && std::is_same_v<P, Fp32>;
  } else {
    return false;
  }
}
template <class I, class P>
inline constexpr bool has_whole_space = has_whole_space_of<I, P>();

} // namespace ridge::pairs
