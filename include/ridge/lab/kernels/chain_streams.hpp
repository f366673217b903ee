// The chains of the lab: streaming operations, each on the result of the one before.
#pragma once

#include <ridge/chain/operation.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace ridge::lab {

/// Operation I of a streaming chain on a value. Values stay near 1 in size and errors do
/// not grow.
template <int I, class V>
RIDGE_FN V stream_value(const V& x) {
  if constexpr (I % 3 == 0) {
    return 0.75 * x + 0.125 * I;
  } else if constexpr (I % 3 == 1) {
    return x * (1.0 - 0.25 * x);
  } else {
    return select(x < 0.25, 0.5 * x + 0.125, x);
  }
}

/// Operation I of a streaming chain: reads one array, writes the next.
template <int I>
struct StreamStep {
  static constexpr const char* name = I % 3 == 0 ? "scale" : I % 3 == 1 ? "bend" : "clip";
  static constexpr chain::Slot<I> from{};
  static constexpr chain::Slot<I + 1> to{};
  static constexpr std::array accesses{chain::read(from), chain::write(to)};
  static constexpr double flops = 2;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(to, stream_value<I>(at(from)));
  }
};

/// Most operations of a streaming chain.
inline constexpr int longest_stream = 32;

/// `Length` operations, each on the result of the one before: a perfect chain reads the first array
/// and writes the last.
template <int Length>
struct Stream {
  static constexpr const char* name = "chain";
  static constexpr auto arrays = [] {
    std::array<chain::Array, Length + 1> all{};
    for (int i = 0; i <= Length; ++i)
      all[static_cast<std::size_t>(i)] = chain::temporary("between");
    all[0] = chain::input("in");
    all[Length] = chain::output("out");
    return all;
  }();
  static constexpr std::array dimensions{chain::independent()};

  template <class Numbers>
  struct Steps;
  template <int... I>
  struct Steps<std::integer_sequence<int, I...>> {
    using Tuple = std::tuple<StreamStep<I>...>;
  };
  typename Steps<std::make_integer_sequence<int, Length>>::Tuple operations;
};

} // namespace ridge::lab
