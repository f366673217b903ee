// Interactions within a cutoff of bodies in arrays that came from another language.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/case.hpp>
#include <ridge/pattern/arrays.hpp>

#include <type_traits>

namespace ridge::pairs {

/// Where a call gives numbers of the lists, after those of the interaction.
inline constexpr std::size_t numbers_of_lists = 5; // cutoff, skin, three lengths

/// The numbers of the lists in a call: an axis of length 0 is open, others are periodic from 0.
[[nodiscard]] inline ListOptions list_options_of(std::span<const double> numbers) {
  ListOptions options;
  options.cutoff = numbers[0];
  options.skin = numbers[1];
  for (std::size_t a = 0; a < 3; ++a) {
    options.box.length[a] = numbers[2 + a];
    options.box.periodic[a] = numbers[2 + a] != 0;
  }
  return options;
}

/// `arrays` are bodies and sums, each of components by bodies; the last numbers are those of the
/// lists.
template <class I, class P>
[[nodiscard]] std::unique_ptr<Case> near_on(Queue& queue, const I& interaction,
                                            const Arguments& arguments) {
  check_count(arguments, 2);
  const GivenArray& bodies = arguments.arrays[0];
  const GivenArray& sums = arguments.arrays[1];
  check_components(arguments, bodies, I::sources, "bodies");
  check_components(arguments, sums, I::sums, "sums");
  std::array<Span<const typename P::Stored>, I::sources> sources;
  std::array<Span<typename P::Summed>, I::sums> to;
  for (int c = 0; c < I::sources; ++c)
    sources[c] = row_of<const typename P::Stored>(bodies, c);
  for (int c = 0; c < I::sums; ++c)
    to[c] = row_of<typename P::Summed>(sums, c);
  // Positions may be rounded.
  constexpr double unsure = std::is_same_v<typename P::Stored, float> ? 1e-5 : 1e-13;
  return case_of(arguments.kernel, queue,
                 NearCall<I, P>{among_themselves<I, P>(interaction, sources, to),
                                list_options_of(arguments.numbers.last(numbers_of_lists)), true,
                                unsure});
}

/// An interaction, whose source is in `file`, on arrays of T.
template <class T, class I>
[[nodiscard]] std::unique_ptr<Case> described_near(Queue& queue, RoofSource& /*roof*/,
                                                   const I& interaction, const Arguments& arguments,
                                                   const std::string& file) {
  using P = std::conditional_t<std::is_same_v<T, float>, Fp32, Fp64>;
  know_source(typeid(Call<I, P>), file, "");
  return near_on<I, P>(queue, interaction, arguments);
}

} // namespace ridge::pairs
