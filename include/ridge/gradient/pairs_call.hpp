// Adjoints of calls of pairs, for ridge::Program: see ridge/gradient/pairs.hpp. Host code only.
#pragma once

#include <ridge/gradient/call.hpp>
#include <ridge/gradient/pairs.hpp>
#include <ridge/pairs/call.hpp>
#include <ridge/pairs/launch.hpp>

#include <array>
#include <type_traits>

namespace ridge {

namespace gradient {

/// Components, one span each.
template <class T, int N>
using Rows = std::array<Span<T>, static_cast<std::size_t>(N)>;

namespace detail {

template <class T, std::size_t A, std::size_t B>
[[nodiscard]] std::array<Span<const T>, A + B> joined(const std::array<Span<const T>, A>& a,
                                                      const std::array<Span<const T>, B>& b) {
  std::array<Span<const T>, A + B> both;
  for (std::size_t c = 0; c < A + B; ++c)
    both[c] = c < A ? a[c] : b[c - A];
  return both;
}

template <class I, class P, class G>
[[nodiscard]] pairs::Call<G, P> known(const pairs::Call<G, P>& call) {
  know_adjoint_source(typeid(pairs::Call<I, P>), typeid(pairs::Call<G, P>),
                      "ridge/gradient/pairs.hpp");
  return call;
}

template <class P>
inline constexpr bool is_plain = std::is_same_v<typename P::Stored, typename P::Summed>&&
    std::is_same_v<typename P::Stored, typename P::Computed>;

} // namespace detail

} // namespace gradient

/// By the components of bodies that act on each other: `cotangent` is by their sums. Throws
/// UsageError where targets and sources are others.
template <class I, class P>
[[nodiscard]] auto adjoint(const pairs::Call<I, P>& forward,
                           const gradient::Rows<const typename P::Stored, I::sums>& cotangent,
                           const gradient::Rows<typename P::Summed, I::sources>& gradients) {
  static_assert(gradient::detail::is_plain<P>, "adjoints of pairs are in fp32 and fp64");
  using G = gradient::OfBodies<I>;
  if (!forward.skip_self)
    throw UsageError("the adjoint of targets and sources is two sums: adjoint_by_targets and "
                     "adjoint_by_sources");
  return gradient::detail::known<I, P>(pairs::among_themselves<G, P>(
      G{forward.interaction}, gradient::detail::joined(forward.sources, cotangent), gradients));
}

/// By targets.
template <class I, class P>
[[nodiscard]] auto
adjoint_by_targets(const pairs::Call<I, P>& forward,
                   const gradient::Rows<const typename P::Stored, I::sums>& cotangent,
                   const gradient::Rows<typename P::Summed, I::targets>& gradients) {
  static_assert(gradient::detail::is_plain<P>, "adjoints of pairs are in fp32 and fp64");
  using G = gradient::OfTargets<I>;
  return gradient::detail::known<I, P>(pairs::Call<G, P>{
      G{forward.interaction}, gradient::detail::joined(forward.targets, cotangent), forward.sources,
      gradients, forward.skip_self});
}

/// By sources.
template <class I, class P>
[[nodiscard]] auto
adjoint_by_sources(const pairs::Call<I, P>& forward,
                   const gradient::Rows<const typename P::Stored, I::sums>& cotangent,
                   const gradient::Rows<typename P::Summed, I::sources>& gradients) {
  static_assert(gradient::detail::is_plain<P>, "adjoints of pairs are in fp32 and fp64");
  using G = gradient::OfSources<I>;
  return gradient::detail::known<I, P>(pairs::Call<G, P>{
      G{forward.interaction}, forward.sources, gradient::detail::joined(forward.targets, cotangent),
      gradients, forward.skip_self});
}

} // namespace ridge
