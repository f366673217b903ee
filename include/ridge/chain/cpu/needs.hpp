// Needs of a run of operations on the cpu: items of its arrays.
#pragma once

#include <ridge/chain/operation.hpp>

#include <array>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

/// All reads of an array by the operations First to Last together.
template <class C, int First, int Last>
constexpr Reach run_reach(int array) {
  Reach all;
  const auto add = [&]<int K>(std::integral_constant<int, K>) {
    if constexpr (K >= First && K <= Last) {
      const Reach r = reach_of<Operation<C, K>>(array);
      const auto least = [](int a, int b) { return a < b ? a : b; };
      const auto most = [](int a, int b) { return a > b ? a : b; };
      all = {{least(all.low.x, r.low.x), least(all.low.y, r.low.y), least(all.low.z, r.low.z)},
             {most(all.high.x, r.high.x), most(all.high.y, r.high.y), most(all.high.z, r.high.z)}};
    }
  };
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (add(std::integral_constant<int, K>{}), ...);
  }
  (std::make_integer_sequence<int, operations_of<C>>{});
  return all;
}

/// Needs of a run, at compile time.
template <class C, int First, int Last>
struct Needs {
  static constexpr auto reach = [] {
    std::array<Reach, arrays_of<C>> all{};
    for (int i = 0; i < arrays_of<C>; ++i)
      all[static_cast<std::size_t>(i)] = run_reach<C, First, Last>(i);
    return all;
  }();
  static constexpr int rows_y(int i) {
    const Reach r = reach[static_cast<std::size_t>(i)];
    return r.high.y - r.low.y + 1;
  }
  static constexpr int rows(int i) {
    const Reach r = reach[static_cast<std::size_t>(i)];
    return read_in<C>(First, Last, i) ? rows_y(i) * (r.high.z - r.low.z + 1) : 0;
  }
  /// Where the rows of array i begin among those of all.
  static constexpr int begin(int i) {
    int all = 0;
    for (int j = 0; j < i; ++j)
      all += rows(j);
    return all;
  }
  static constexpr bool stores(int i) {
    return written_in<C>(First, Last, i) && outlives<C>(First, Last, i);
  }
  /// The array to whose lines packs are aligned.
  static constexpr int aligned() {
    for (int i = 0; i < arrays_of<C>; ++i) {
      if (stores(i)) return i;
    }
    return 0;
  }
  static constexpr int low_x() {
    int low = 0;
    for (int i = 0; i < arrays_of<C>; ++i) {
      const Reach r = reach[static_cast<std::size_t>(i)];
      if (!C::arrays[static_cast<std::size_t>(i)].profile && r.low.x < low) low = r.low.x;
    }
    return low;
  }
  static constexpr int high_x() {
    int high = 0;
    for (int i = 0; i < arrays_of<C>; ++i) {
      const Reach r = reach[static_cast<std::size_t>(i)];
      if (!C::arrays[static_cast<std::size_t>(i)].profile && r.high.x > high) high = r.high.x;
    }
    return high;
  }
};

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME
