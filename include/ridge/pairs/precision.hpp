// Precisions: what components are stored as, what interactions compute in, what sums are kept in.
#pragma once

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

} // namespace ridge::pairs
