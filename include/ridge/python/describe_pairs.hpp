// What descriptions of interactions that came from Python are compiled from.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/pairs_case.hpp>
#include <ridge/python/arguments.hpp>

namespace ridge::python {

/// Row `c` of an array of components by bodies.
template <class T>
[[nodiscard]] Span<T> row_of(const Array& a, int c) {
  const Index stride = a.rank > 1 ? a.strides[1] : 0;
  return {static_cast<T*>(a.data) + c * stride, a.extents[0]};
}

inline void check_components(const Arguments& arguments, const Array& a, int right,
                             const char* what) {
  const Index found = a.rank > 1 ? a.extents[1] : 1;
  if (found == right) return;
  throw UsageError(arguments.kernel + ": " + what + " have " + std::to_string(found) +
                   " components; an array of shape (" + std::to_string(right) +
                   ", bodies) is right");
}

/// `arrays` are targets, sources and sums; without targets the bodies act on each other.
template <class I, class P>
[[nodiscard]] std::unique_ptr<lab::Case>
pairs_case(Queue& queue, lab::RoofSource& roof, const I& interaction, const Arguments& arguments) {
  using T = typename P::Stored;
  const std::span<const Array> arrays = arguments.arrays;
  const bool same = arrays.size() == 2;
  const Array& sources = arrays[same ? 0 : 1];
  const Array& sums = arrays.back();
  check_components(arguments, sources, I::sources, "sources");
  check_components(arguments, sums, I::sums, "sums");
  pairs::Call<I, P> call{interaction, {}, {}, {}, same};
  for (int c = 0; c < I::sources; ++c)
    call.sources[c] = row_of<const T>(sources, c);
  if (!same) check_components(arguments, arrays[0], I::targets, "targets");
  for (int c = 0; c < I::targets; ++c)
    call.targets[c] = row_of<const T>(arrays[0], c);
  for (int c = 0; c < I::sums; ++c)
    call.sums[c] = row_of<T>(sums, c);
  return std::make_unique<lab::PairsOnSpans<I, P>>(arguments.kernel, queue, call, roof);
}

template <class I>
[[nodiscard]] std::unique_ptr<lab::Case>
describe_pairs(Queue& queue, lab::RoofSource& roof, const I& interaction,
               const Arguments& arguments, const std::string& file) {
  know_source(typeid(pairs::Call<I, pairs::Fp32>), file, "");
  know_source(typeid(pairs::Call<I, pairs::Fp64>), file, "");
  return arguments.arrays.front().element_bytes == 4
             ? pairs_case<I, pairs::Fp32>(queue, roof, interaction, arguments)
             : pairs_case<I, pairs::Fp64>(queue, roof, interaction, arguments);
}

} // namespace ridge::python
