// Descriptions of the adjoints of a stencil, which are compiled when they are asked for: see
// ridge/gradient/bench.hpp.
#pragma once

#include <ridge/chain/bench.hpp>
#include <ridge/chain/rank_case.hpp>
#include <ridge/chain/source.hpp>
#include <ridge/gradient/bench.hpp>
#include <ridge/gradient/proof.hpp>
#include <ridge/gradient/together.hpp>
#include <ridge/stencil/bench.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace ridge::gradient {

namespace detail {

/// The adjoint by input I, or none where the result has no derivative by it.
template <class K, int I, class Found>
[[nodiscard]] auto found_adjoint(const K& kernel) {
  if constexpr (Found::cotangent.size == 0) {
    return std::tuple<>();
  } else if constexpr (Found::linear) {
    return std::tuple(Transposed<K, I, Found>(kernel));
  } else {
    return std::tuple(Adjoint<K, I, Found>{kernel});
  }
}

template <int Rank, bool OverRanks, class... G>
[[nodiscard]] BenchKernel bench_adjoints(const std::string& name, const std::string& meaning,
                                         const std::string& file,
                                         const std::tuple<G...>& adjoints) {
  if constexpr (sizeof...(G) == 1) {
    using One = std::tuple_element_t<0, std::tuple<G...>>;
    stencil::know_stencil_source<One>(file);
    const stencil::StencilKernel any = stencil::stencil_kernel(std::get<0>(adjoints));
    return stencil::bench_stencil(name, meaning, stencil::default_stencil_size(Rank),
                                  [any](const Extents& /*size*/) { return any; });
  } else {
    using Chain = Together<Rank, G...>;
    const Chain chain{{{adjoints}}};
    chain::know_chain_source<Chain>(file);
    BenchKernel made = chain::chain_kernel(name, meaning, chain);
    if constexpr (OverRanks) {
      chain::know_chain_source<chain::Placed<Chain>>(file);
      chain::add_rank_case(made, chain);
    }
    return made;
  }
}

} // namespace detail

/// The adjoints of the kernel of these bytes, on fields of so many dimensions, by all inputs that
/// its result has a derivative by; `Found` is of each input what reads_text declares, `file` where
/// they can be compiled from. `OverRanks`: they run over ranks, too.
template <class K, int Rank, bool OverRanks, class... Found>
[[nodiscard]] BenchKernel describe_adjoints(const std::string& name, const std::string& meaning,
                                            std::span<const std::byte> functor,
                                            const std::string& file) {
  const K kernel = kernel_of<K>(functor);
  const auto adjoints = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat(detail::found_adjoint<K, static_cast<int>(I), Found>(kernel)...);
  }
  (InputNumbers<K>{});
  BenchKernel made = detail::bench_adjoints<Rank, OverRanks>(name, meaning, file, adjoints);
  prove_cases(made, prove_adjoints(kernel, adjoints, Rank));
  return made;
}

} // namespace ridge::gradient
