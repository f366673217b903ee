// One summation: the interaction, its targets, its sources and where the sums go.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/pairs/interaction.hpp>
#include <ridge/pairs/precision.hpp>
#include <ridge/pairs/variants.hpp>

#include <array>
#include <type_traits>

namespace ridge::pairs {

/// One span a component; all spans of targets and sums have one size, all of sources another (or
/// the same). Sums are overwritten.
template <class I, class P>
struct Call {
  static_assert(remainders_of<I>() == 0 ||
                    !std::is_same_v<typename P::Stored, typename P::Computed>,
                "pairs::Apart is for mixed precision: in others positions lack nothing");
  I interaction;
  std::array<Span<const typename P::Stored>, I::targets> targets;
  std::array<Span<const typename P::Stored>, I::sources> sources;
  std::array<Span<typename P::Summed>, I::sums> sums;
  /// Targets and sources are the same bodies, and none acts on itself: target i skips source i.
  bool skip_self = false;
};

/// The interactions of bodies among themselves: the targets are the sources' first components.
template <class I, class P>
[[nodiscard]] Call<I, P>
among_themselves(const I& interaction,
                 const std::array<Span<const typename P::Stored>, I::sources>& bodies,
                 const std::array<Span<typename P::Summed>, I::sums>& sums) {
  static_assert(I::targets <= I::sources);
  Call<I, P> call{interaction, {}, bodies, sums, true};
  for (int c = 0; c < I::targets; ++c)
    call.targets[c] = bodies[c];
  return call;
}

} // namespace ridge::pairs
