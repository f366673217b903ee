// Binned sums of several packs at a time: they share the place of their bins, so that one check is
// for all of them and everything stays in registers.
#pragma once

#include <ridge/lattice/binned_sum.hpp>

#include <cstring>

namespace ridge::lattice::cpu_reduce::inline RIDGE_TARGET_NAME {

using Doubles = Pack<double, 8, abi::Native>;

/// One register of eight doubles: a wider vector would lie in memory, and its parts be
/// moved there and back.
using Lanes = NativePack<double>;
inline constexpr int lanes = lanes_of<Lanes>;
inline constexpr int registers = 8 / lanes;

RIDGE_FN Lanes load_lanes(const double* from) {
  return Lanes::load(from);
}
RIDGE_FN Lanes load_lanes(const float* from) {
  return widen(Pack<float, lanes, abi::Native>::load(from));
}
/// Part p of eight doubles in memory.
RIDGE_FN Lanes part_of(const Doubles& all, int p) {
  Lanes part;
  std::memcpy(&part.lanes, reinterpret_cast<const char*>(&all.lanes) + p * simd_bytes, simd_bytes);
  return part;
}
RIDGE_FN void set_part(Doubles& all, int p, const Lanes& part) {
  std::memcpy(reinterpret_cast<char*>(&all.lanes) + p * simd_bytes, &part.lanes, simd_bytes);
}

RIDGE_FN Lanes magnitude(const Lanes& x) {
  typedef long long Bits __attribute__((vector_size(simd_bytes)));
  Bits bits;
  std::memcpy(&bits, &x.lanes, sizeof bits);
  bits &= 0x7fffffffffffffffLL;
  Lanes all;
  std::memcpy(&all.lanes, &bits, sizeof bits);
  return all;
}

/// Whether all lanes of all x, each of so many registers, are below the bound; a NaN is not.
template <int Count>
RIDGE_FN bool all_below(const Lanes (&x)[Count], const Lanes (&bound)[registers]) {
  auto below = magnitude(x[0]) < bound[0];
  RIDGE_UNROLL
  for (int i = 1; i < Count; ++i)
    below.bits &= (magnitude(x[i]) < bound[i % registers]).bits;
  return detail::all_of(below);
}

/// Adds all x to one sum.
template <int Count>
RIDGE_FN void add_together(BinnedSum<Doubles>& sum, Lanes (&x)[Count]) {
  Lanes bound[registers];
  RIDGE_UNROLL
  for (int p = 0; p < registers; ++p)
    bound[p] = part_of(sum.w[0], p) * Lanes(0x1p-14);
  if (!all_below(x, bound)) [[unlikely]] {
    Doubles values[Count / registers];
    for (int i = 0; i < Count; ++i)
      set_part(values[i / registers], i % registers, x[i]);
    sum.make_room_for_all(values);
    for (int i = 0; i < Count; ++i)
      x[i] = part_of(values[i / registers], i % registers);
  }
  RIDGE_UNROLL
  for (int p = 0; p < registers; ++p) {
    Lanes anchor = part_of(sum.w[0], p);
    RIDGE_UNROLL
    for (int k = 1; k <= 3; ++k) {
      Lanes total = part_of(sum.w[k], p);
      RIDGE_UNROLL
      for (int i = p; i < Count; i += registers) {
        const Lanes part = (anchor + x[i]) - anchor;
        total += part;
        x[i] -= part;
      }
      set_part(sum.w[k], p, total);
      anchor = anchor * Lanes(BinnedSum<Doubles>::next_bin);
    }
  }
}

/// N sums. At most BinnedSum's period of additions may come between two calls of move_to.
template <int N>
class BinnedBatch {
public:
  using Sum = BinnedSum<Doubles>;
  static constexpr int count = N * registers;

  RIDGE_FN BinnedBatch() {
    RIDGE_UNROLL
    for (int p = 0; p < registers; ++p)
      set_top(p, Lanes(Sum::lowest_anchor));
    clear();
  }

  /// Adds x[n * registers + p] to part p of sum n.
  RIDGE_FN void add(Lanes (&x)[count]) {
    if (!all_below(x, bound_)) [[unlikely]] {
      // On copies, as what a function has seen could not stay in registers.
      BinnedBatch higher;
      Lanes low[count];
      RIDGE_UNROLL
      for (int i = 0; i < count; ++i)
        low[i] = x[i];
      higher.take(*this);
      higher.make_room(low);
      take(higher);
      RIDGE_UNROLL
      for (int i = 0; i < count; ++i)
        x[i] = low[i];
    }
    RIDGE_UNROLL
    for (int k = 0; k < bins; ++k) {
      RIDGE_UNROLL
      for (int i = 0; i < count; ++i) {
        const Lanes anchor = anchor_[k][i % registers];
        const Lanes part = (anchor + x[i]) - anchor;
        sum_[k][i] += part;
        x[i] -= part;
      }
    }
  }

  /// Adds what there is to other sums, and has nothing then.
  RIDGE_FN void move_to(Sum* (&sums)[N]) {
    RIDGE_UNROLL
    for (int n = 0; n < N; ++n)
      sums[n]->merge(sum(n));
    clear();
  }

private:
  static constexpr int bins = 3;

  /// Another batch's state, number by number.
  RIDGE_FN void take(const BinnedBatch& from) {
    RIDGE_UNROLL
    for (int p = 0; p < registers; ++p) {
      bound_[p] = from.bound_[p];
      RIDGE_UNROLL
      for (int k = 0; k < bins; ++k)
        anchor_[k][p] = from.anchor_[k][p];
    }
    RIDGE_UNROLL
    for (int i = 0; i < count; ++i) {
      RIDGE_UNROLL
      for (int k = 0; k < bins; ++k)
        sum_[k][i] = from.sum_[k][i];
      aside_[i] = from.aside_[i];
    }
  }
  RIDGE_FN void clear() {
    RIDGE_UNROLL
    for (int i = 0; i < count; ++i) {
      RIDGE_UNROLL
      for (int k = 0; k < bins; ++k)
        sum_[k][i] = Lanes(0.0);
      aside_[i] = Lanes(0.0);
    }
  }
  RIDGE_FN void set_top(int p, const Lanes& top) {
    anchor_[0][p] = top;
    RIDGE_UNROLL
    for (int k = 1; k < bins; ++k)
      anchor_[k][p] = anchor_[k - 1][p] * Lanes(Sum::next_bin);
    bound_[p] = top * Lanes(0x1p-14);
  }
  [[nodiscard]] RIDGE_FN Sum sum(int n) const {
    Sum one;
    one.clear();
    RIDGE_UNROLL
    for (int p = 0; p < registers; ++p) {
      set_part(one.w[0], p, anchor_[0][p]);
      RIDGE_UNROLL
      for (int k = 0; k < bins; ++k)
        set_part(one.w[k + 1], p, sum_[k][n * registers + p]);
      set_part(one.w[Sum::words - 1], p, aside_[n * registers + p]);
    }
    return one;
  }
  /// Raises the bins of all sums above x; what of it no bin takes is 0 then.
  [[gnu::noinline]] void make_room(Lanes (&x)[count]) {
    Doubles values[N];
    for (int i = 0; i < count; ++i)
      set_part(values[i / registers], i % registers, x[i]);
    Sum highest = sum(0);
    for (int n = 0; n < N; ++n) {
      Doubles value = values[n];
      highest.make_room(value);
    }
    for (int n = 0; n < N; ++n) {
      Sum one = sum(n);
      one.raise(highest.w[0]);
      one.make_room(values[n]);
      for (int i = n * registers; i < (n + 1) * registers; ++i) {
        for (int k = 0; k < bins; ++k)
          sum_[k][i] = part_of(one.w[k + 1], i % registers);
        aside_[i] = part_of(one.w[Sum::words - 1], i % registers);
        x[i] = part_of(values[n], i % registers);
      }
    }
    for (int p = 0; p < registers; ++p)
      set_top(p, part_of(highest.w[0], p));
  }

  Lanes anchor_[bins][registers], bound_[registers];
  Lanes sum_[bins][count];
  Lanes aside_[count];
};

} // namespace ridge::lattice::cpu_reduce::inline RIDGE_TARGET_NAME
