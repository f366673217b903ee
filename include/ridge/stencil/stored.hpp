// Stencils of fields that are stored in 16 bits, their mathematics in fp32.
//
// Stored<K> is K on fields of ridge::Fp16 or ridge::Bf16: it widens each neighbour that K asks for
// and rounds the result once. All executors run it: what they move are 16 bits. Inputs may stay
// fp32: each is two fields then, of the high and the low halves of its numbers.
#pragma once

#include <ridge/core/halves.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/stencil/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ridge::stencil {

/// A field as K sees it: fp32 numbers.
template <class N>
struct WidenedNeighbours {
  const N& stored;
  RIDGE_FN auto operator()(int dx, int dy = 0, int dz = 0) const {
    return widened(stored(dx, dy, dz));
  }
};

/// A field as K sees it that is stored in halves.
template <class High, class Low>
struct JoinedNeighbours {
  const High& high;
  const Low& low;
  RIDGE_FN auto operator()(int dx, int dy = 0, int dz = 0) const {
    return joined(high(dx, dy, dz), low(dx, dy, dz));
  }
};

namespace detail {

constexpr std::size_t bits_in(unsigned mask) {
  return mask == 0 ? 0 : (mask & 1U) + bits_in(mask >> 1U);
}
/// The input of K that field `field` of Stored<K, Wide> has numbers of, or halves.
template <class K, unsigned Wide>
constexpr std::size_t input_of_field(std::size_t field) {
  constexpr auto inputs = static_cast<std::size_t>(inputs_of<K>);
  if (field < inputs) return field;
  std::size_t input = 0;
  for (std::size_t left = field - inputs + 1; left > 0; ++input)
    left -= Wide >> input & 1U;
  return input - 1;
}

/// The footprints of the fields of Stored<K, Wide>.
template <class K, unsigned Wide, std::size_t... F>
constexpr auto footprints_of_fields(std::index_sequence<F...>) {
  return std::make_tuple(std::get<input_of_field<K, Wide>(F)>(footprints_of<K>())...);
}

template <std::size_t I, class First, class... More>
RIDGE_FN const auto& field_at(const First& first, const More&... more) {
  if constexpr (I == 0) {
    return first;
  } else {
    return field_at<I - 1>(more...);
  }
}

} // namespace detail

/// K whose inputs with bits in `Wide` stay fp32: their high halves are where the input was, their
/// low halves behind all inputs.
template <class K, unsigned Wide = 0>
struct Stored : K {
  static constexpr bool linear = false;
  static constexpr auto footprints = detail::footprints_of_fields<K, Wide>(
      std::make_index_sequence<static_cast<std::size_t>(inputs_of<K>) + detail::bits_in(Wide)>{});

  template <class... N>
  RIDGE_FN auto operator()(const N&... all) const {
    return compute(std::make_index_sequence<static_cast<std::size_t>(inputs_of<K>)>{}, all...);
  }

private:
  template <std::size_t... I, class First, class... More>
  RIDGE_FN auto compute(std::index_sequence<I...>, const First& first, const More&... more) const {
    using V = std::remove_cvref_t<decltype(first(0, 0, 0))>;
    const WidenedPack<V> result(static_cast<const K&>(*this)(neighbours<I>(first, more...)...));
    return rounded_to<Element<V>>(result);
  }
  template <std::size_t I, class... N>
  RIDGE_FN static auto neighbours(const N&... all) {
    const auto& own = detail::field_at<I>(all...);
    using Own = std::remove_cvref_t<decltype(own)>;
    if constexpr ((Wide >> I & 1U) != 0) {
      constexpr auto inputs = static_cast<std::size_t>(inputs_of<K>);
      const auto& low = detail::field_at<inputs + detail::bits_in(Wide & ((1U << I) - 1))>(all...);
      return JoinedNeighbours<Own, std::remove_cvref_t<decltype(low)>>{own, low};
    } else {
      return WidenedNeighbours<Own>{own};
    }
  }
};

template <class K>
struct Stored<K, 0> : K {
  /// Parts of its sums would be rounded.
  static constexpr bool linear = false;

  template <class N, class... More>
  RIDGE_FN auto operator()(const N& first, const More&... more) const {
    using V = std::remove_cvref_t<decltype(first(0, 0, 0))>;
    const WidenedPack<V> result(static_cast<const K&>(*this)(WidenedNeighbours<N>{first},
                                                             WidenedNeighbours<More>{more}...));
    return rounded_to<Element<V>>(result);
  }
};

/// The kernel that computes with numbers: K of Stored<K>, which itself takes elements of memory.
template <class K>
struct Mathematics {
  using type = K;
};
template <class K>
struct Mathematics<Stored<K, 0>> {
  using type = K;
};

/// Windows of several planes shift registers of 4 and 8 bytes.
template <class K, unsigned Wide>
inline constexpr bool has_planes<Stored<K, Wide>> = false;

} // namespace ridge::stencil

#ifdef RIDGE_TARGET_NONE
#include <ridge/stencil/stored_shell.hpp> // sweeps of Stored<K> in host code take shells of 16 bits
#endif
