// Two sets of bodies that act on each other, each pair computed once for both: what ranks of
// several devices do with the bodies of others.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/pairs/interaction.hpp>
#include <ridge/pairs/precision.hpp>

#include <array>

namespace ridge::pairs {

/// Which pairs of two sets of about as many bodies are computed here: all, or one of two halves
/// that together are all. A set's first half are the pairs of the other's second.
enum class Half { both, first, second };

/// One span a component. All pairs, or a half of them, of bodies a and b.
template <class I, class P>
struct Encounter {
  I interaction;
  std::array<Span<const typename P::Stored>, I::sources> a, b;
  std::array<Span<typename P::Summed>, I::sums> sums; ///< overwritten: what b does to a
  /// Overwritten: what is to be subtracted from the sums of b, component after component.
  Span<typename P::Summed> losses;
  Index most = 0; ///< bodies of the larger set of any encounter of these sets
  Half half = Half::both;
};

} // namespace ridge::pairs
