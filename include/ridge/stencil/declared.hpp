// Refuses kernels that read what their footprint lacks. Elsewhere than on the emulated GPU
// nobody looks: a neighbour beyond the footprint would be a number of another row, or beyond the
// field.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/pack_array.hpp>
#include <ridge/stencil/kernel.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ridge::stencil {

namespace detail {

/// A neighbour that an input's footprint does not declare.
struct Undeclared {
  std::size_t input;
  Offset neighbour;
};

/// Neighbours of a value of 1 that note the first undeclared one.
template <class K, std::size_t Input>
struct DeclaredNeighbours {
  std::optional<Undeclared>* found;
  Pack<double, 1, abi::Array> operator()(int dx, int dy = 0, int dz = 0) const {
    const Offset asked{dx, dy, dz};
    if (!*found && !footprint_of<K, static_cast<int>(Input)>.contains(asked))
      *found = Undeclared{Input, asked};
    return 1.0;
  }
};

} // namespace detail

/// Calls the kernel once. Throws UsageError where it reads a neighbour that it does not declare.
/// Does not compile for a footprint or a signature that is none of a stencil's.
template <class K>
void require_declared(const std::string& name, const K& kernel) {
  if constexpr (requires { K::footprint; }) {
    static_assert(
        requires { K::footprint.offsets; },
        "a stencil's `footprint` is a ridge::stencil::Footprint<N>, such as "
        "static constexpr ridge::stencil::Footprint<2> footprint{{{{0, 0, 0}, {1, 0, 0}}}};");
  }
  std::optional<detail::Undeclared> found;
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
    if constexpr (requires { kernel(detail::DeclaredNeighbours<K, I>{nullptr}...); }) {
      using Result = decltype(kernel(detail::DeclaredNeighbours<K, I>{nullptr}...));
      constexpr bool is_value = !std::is_void_v<Result> && !std::is_arithmetic_v<Result>;
      static_assert(is_value, "operator() of a stencil returns a value that is made of neighbours, "
                              "no plain number");
      if constexpr (is_value) (void)kernel(detail::DeclaredNeighbours<K, I>{&found}...);
    } else {
      static_assert(!std::is_same_v<K, K>,
                    "a stencil has template <class N> RIDGE_FN auto operator()(const N& u) const, "
                    "with one such argument an input");
    }
  };
  call(std::make_index_sequence<inputs_of<K>>{});
  if (!found) return;
  const auto& [input, at] = *found;
  throw UsageError(
      name + " reads neighbour (" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " +
      std::to_string(at.z) + ") of " +
      (inputs_of<K> == 1 ? std::string("its input") : "input " + std::to_string(input + 1)) +
      ", which its footprint does not declare; add it to the footprint");
}

} // namespace ridge::stencil
