// How packs of the cpu reach their arrays: addresses are found once a row.
#pragma once

#include <ridge/chain/call.hpp>
#include <ridge/chain/cpu/needs.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/prefetch.hpp>

#include <cstdint>
#include <string>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

/// Throws UsageError that names the operation, the array and the distance.
[[noreturn]] inline void undeclared(const char* operation, const char* array, Offset o) {
  throw UsageError(std::string("operation '") + operation + "' reads '" + array + "' at (" +
                   std::to_string(o.x) + ", " + std::to_string(o.y) + ", " + std::to_string(o.z) +
                   "), beyond the reach it declares");
}

/// How a row is stored.
enum class Put : unsigned char { nothing, plain, stream };

/// The windows of a thread on its tile.
template <class C, class T, bool Checked>
struct Memory {
  using Number = T;
  static constexpr bool checked = Checked;

  Windows<C, T> windows;
  Index3 n;
  ridge::cpu::LinesAhead ahead;
  T* carry = nullptr; ///< of the columns of a tile, for runs that scan
  /// Chains between given ends ask for the next row of what they read first, unless the range is
  /// in the cache, and also of what operations before have touched where that is long ago.
  bool rows_ahead = false, rows_again = true;
  [[no_unique_address]] InstanceOf<C> instance = {};
};

/// The rows of all arrays that a run reaches from its row (y, z). Addresses are found once a row.
template <class C, class T, int First, int Last, bool Checked>
struct Row {
  using N = Needs<C, First, Last>;

  const Windows<C, T>& windows;
  Index3 n;
  ridge::cpu::LinesAhead ahead;
  const T* from[N::begin(arrays_of<C>) + 1];
  bool in_memory[arrays_of<C>]; ///< read from there, not from what a tile keeps
  T* to[arrays_of<C>];
  Put put[arrays_of<C>];
  T* carry = nullptr; ///< of item x at carry + x; the next value `each` elements further
  Index each = 0;
  bool rows_ahead, rows_again;
  [[no_unique_address]] InstanceOf<C> where;

  /// `everything` false: only what the tile keeps for itself is written.
  RIDGE_FN Row(const Memory<C, T, Checked>& memory, Index y, Index z, bool everything)
      : windows(memory.windows), n(memory.n), ahead(memory.ahead), rows_ahead(memory.rows_ahead),
        rows_again(memory.rows_again), where(memory.instance) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (find<I>(y, z, everything), ...);
    }
    (std::make_integer_sequence<int, arrays_of<C>>{});
  }

  [[nodiscard]] RIDGE_FN const Index3& extents() const { return n; }
  [[nodiscard]] RIDGE_FN const InstanceOf<C>& instance() const { return where; }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_FN V load(Index x, Index /*y*/, Index /*z*/, Offset o) const {
    if constexpr (Checked) {
      if (!within_reach<C, K, I>(o)) undeclared(Operation<C, K>::name, C::arrays[I].name, o);
    }
    constexpr Reach r = N::reach[I];
    const T* const row = from[N::begin(I) + o.y - r.low.y + (o.z - r.low.z) * N::rows_y(I)];
    if constexpr (Profile) {
      return V(*row);
    } else if constexpr (Edges) {
      const Window<T>& w = windows.of[I];
      return V::load(row + resolve<dimension_of<C>(0).edge>(x + o.x, w.points.x, w.part_x));
    } else {
      return V::load(row + (x + o.x));
    }
  }
  template <int I, class V>
  RIDGE_FN void store(Index x, Index /*y*/, Index /*z*/, const V& value) const {
    if (put[I] == Put::nothing) return;
    T* const at = to[I] + x;
    if constexpr (lanes_of<V> == lanes_of<NativePack<T>>) {
      if (put[I] == Put::stream && reinterpret_cast<std::uintptr_t>(at) % sizeof(V) == 0) {
        value.stream(at);
        return;
      }
    }
    value.store(at);
  }

  template <class V, int N>
  [[nodiscard]] RIDGE_FN V load_carry(Index x, Index /*y*/) const {
    return V::load(carry + N * each + x);
  }
  template <int N, class V>
  RIDGE_FN void store_carry(Index x, Index /*y*/, const V& value) const {
    value.store(carry + N * each + x);
  }

  [[nodiscard]] RIDGE_FN bool asks() const { return ahead || rows_ahead; }
  /// Asks for what comes later of the arrays that are read from memory, not those that operations
  /// of this run pass on or a tile keeps.
  RIDGE_FN void ask(Index x) const { ask(x, std::make_integer_sequence<int, arrays_of<C>>{}); }

private:
  template <int... I>
  RIDGE_FN void ask(Index x, std::integer_sequence<int, I...> /*all*/) const {
    (ask_for<I>(x), ...);
  }
  template <int I>
  RIDGE_FN void ask_for(Index x) const {
    constexpr bool passed = C::arrays[I].role == Role::temporary && written_in<C>(First, Last, I);
    if constexpr (read_in<C>(First, Last, I) && !C::arrays[I].profile && !passed) {
      if constexpr (dimension_of<C>(1).edge == Edge::given) {
        constexpr bool touched = read_in<C>(0, First - 1, I) || written_in<C>(0, First - 1, I);
        constexpr Reach r = N::reach[I];
        constexpr int newest = N::begin(I) - r.low.y + (r.high.z - r.low.z) * N::rows_y(I);
        if (touched && !rows_again) return;
        ridge::cpu::PrefetchIntoL2{}(from[newest] + windows.of[I].row + x);
      } else if (in_memory[I]) {
        ahead.ask(from[N::begin(I)] + x);
      }
    }
  }

  template <int I>
  RIDGE_FN void find(Index y, Index z, bool everything) {
    const Window<T>& w = windows.of[I];
    if constexpr (read_in<C>(First, Last, I)) {
      in_memory[I] = !w.local;
      constexpr Reach r = N::reach[I];
      constexpr bool profile = C::arrays[I].profile;
      int next = N::begin(I);
      for (int dz = r.low.z; dz <= r.high.z; ++dz) {
        for (int dy = r.low.y; dy <= r.high.y; ++dy) {
          const Index3 p = resolve<C, T, profile, false>(w, 0, y, z, {0, dy, dz});
          from[next++] = w.data + w.at(0, p.y, p.z);
        }
      }
    }
    if constexpr (N::stores(I)) {
      to[I] = w.data + w.at(0, y, z);
      put[I] = !everything && !w.local ? Put::nothing : w.stream ? Put::stream : Put::plain;
    }
  }
};

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME
