// Interactions of bodies in arrays that came from another language.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/pairs/case.hpp>
#include <ridge/pattern/arrays.hpp>

#include <type_traits>

namespace ridge::pairs {

/// `arrays` are targets, sources and sums, each of components by bodies; without targets the bodies
/// act on each other.
template <class I, class P>
[[nodiscard]] std::unique_ptr<Case> on_arrays_of(Queue& queue, RoofSource& roof,
                                                 const I& interaction, const Arguments& arguments) {
  using T = typename P::Stored;
  const std::span<const GivenArray> arrays = arguments.arrays;
  if (arrays.size() != 3) check_count(arguments, 2);
  const bool same = arrays.size() == 2;
  const GivenArray& sources = arrays[same ? 0 : 1];
  const GivenArray& sums = arrays.back();
  check_components(arguments, sources, I::sources, "sources");
  check_components(arguments, sums, I::sums, "sums");
  Call<I, P> call{interaction, {}, {}, {}, same};
  for (int c = 0; c < I::sources; ++c)
    call.sources[c] = row_of<const T>(sources, c);
  if (!same) check_components(arguments, arrays[0], I::targets, "targets");
  for (int c = 0; c < I::targets; ++c)
    call.targets[c] = row_of<const T>(arrays[0], c);
  for (int c = 0; c < I::sums; ++c)
    call.sums[c] = row_of<T>(sums, c);
  return case_of(arguments.kernel, queue, call, {roof});
}

/// I on the arrays of a call, in their precision.
template <class I>
[[nodiscard]] std::unique_ptr<Case> on_arrays(Queue& queue, RoofSource& roof, const I& interaction,
                                              const Arguments& arguments) {
  return arguments.arrays.back().element_bytes == 4
             ? on_arrays_of<I, Fp32>(queue, roof, interaction, arguments)
             : on_arrays_of<I, Fp64>(queue, roof, interaction, arguments);
}

/// An interaction, whose source is in `file`, on arrays of T.
template <class T, class I>
[[nodiscard]] std::unique_ptr<Case>
described_on_arrays(Queue& queue, RoofSource& roof, const I& interaction,
                    const Arguments& arguments, const std::string& file) {
  using P = std::conditional_t<std::is_same_v<T, float>, Fp32, Fp64>;
  know_source(typeid(Call<I, P>), file, "");
  return on_arrays_of<I, P>(queue, roof, interaction, arguments);
}

} // namespace ridge::pairs
