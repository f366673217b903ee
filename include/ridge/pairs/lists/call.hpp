// One summation over near pairs: bodies among themselves, and the lists of those that are near.
#pragma once

#include <ridge/pairs/call.hpp>
#include <ridge/pairs/lists/data.hpp>

namespace ridge::pairs {

/// As Call among themselves; sums over pairs nearer than the lists' cutoff. Positions, the first
/// three components, are those that the lists are of; the interaction takes differences of them
/// only. Sums are overwritten.
template <class I, class P>
struct Listed {
  static_assert(I::targets >= 3 && I::targets <= I::sources, "lists need positions: x, y, z");
  I interaction;
  std::array<Span<const typename P::Stored>, I::sources> bodies;
  std::array<Span<typename P::Summed>, I::sums> sums;
  const ListData* lists = nullptr; ///< as they are when the launch runs
};

/// An interaction that adds nothing from a distance on says so by its member `cutoff_squared`. The
/// distance of others' pairs is looked at.
template <class I>
inline constexpr bool cuts_itself = requires(const I& i) {
  i.cutoff_squared;
};

} // namespace ridge::pairs
