// One summation by a far field: bodies among themselves.
#pragma once

#include <ridge/pairs/call.hpp>
#include <ridge/pairs/far/data.hpp>

namespace ridge::pairs {

/// As Call among themselves, in fp32 or fp64; what bodies have beside their first three components,
/// the positions, enters the sums linearly. Sums are overwritten.
template <class I, class P>
struct Far {
  static_assert(I::targets >= 3 && I::targets <= I::sources,
                "a far field needs positions: x, y, z");
  static_assert(std::is_same_v<typename P::Stored, typename P::Computed>);
  I interaction;
  std::array<Span<const typename P::Stored>, I::sources> bodies;
  std::array<Span<typename P::Summed>, I::sums> sums;
  const FarData<typename P::Stored>* field = nullptr; ///< as it is when the launch runs
};

} // namespace ridge::pairs
