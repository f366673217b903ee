// Binned sums of several packs at a time: they share the place of their bins, so that one check is
// for all of them and everything stays in registers.
#pragma once

#include <ridge/lattice/binned_sum.hpp>

#include <cstring>

namespace ridge::lattice::cpu_reduce::inline RIDGE_TARGET_NAME {

using Doubles = Pack<double, 8, abi::Native>;

RIDGE_FN Doubles magnitude(const Doubles& x) {
  typedef long long Bits __attribute__((vector_size(64)));
  Bits bits;
  std::memcpy(&bits, &x.lanes, sizeof bits);
  bits &= 0x7fffffffffffffffLL;
  Doubles all;
  std::memcpy(&all.lanes, &bits, sizeof bits);
  return all;
}

/// Whether all lanes of all x are below the bound; a NaN is not.
template <int N>
RIDGE_FN bool all_below(const Doubles (&x)[N], const Doubles& bound) {
  auto below = magnitude(x[0]) < bound;
  RIDGE_UNROLL
  for (int n = 1; n < N; ++n)
    below.bits &= (magnitude(x[n]) < bound).bits;
  return detail::all_of(below);
}

/// Adds all x to one sum.
template <int N>
RIDGE_FN void add_together(BinnedSum<Doubles>& sum, Doubles (&x)[N]) {
  if (!all_below(x, sum.w[0] * Doubles(0x1p-14))) [[unlikely]] {
    for (Doubles& value : x)
      sum.make_room(value);
  }
  Doubles anchor = sum.w[0];
  RIDGE_UNROLL
  for (int k = 1; k <= 3; ++k) {
    Doubles total = sum.w[k];
    RIDGE_UNROLL
    for (int n = 0; n < N; ++n) {
      const Doubles part = (anchor + x[n]) - anchor;
      total += part;
      x[n] -= part;
    }
    sum.w[k] = total;
    anchor = anchor * Doubles(BinnedSum<Doubles>::next_bin);
  }
}

/// N sums. At most BinnedSum's period of additions may come between two calls of move_to.
template <int N>
class BinnedBatch {
public:
  using Sum = BinnedSum<Doubles>;

  RIDGE_FN BinnedBatch() {
    set_anchors(Doubles(Sum::lowest_anchor));
    clear();
  }

  /// Adds x[n] to sum n.
  RIDGE_FN void add(Doubles (&x)[N]) {
    if (!all_below(x, bound_)) [[unlikely]] {
      // On copies, as what a function has seen could not stay in registers.
      BinnedBatch higher;
      Doubles low[N];
      RIDGE_UNROLL
      for (int n = 0; n < N; ++n)
        low[n] = x[n];
      higher.take(*this);
      higher.make_room(low);
      take(higher);
      RIDGE_UNROLL
      for (int n = 0; n < N; ++n)
        x[n] = low[n];
    }
    RIDGE_UNROLL
    for (int k = 0; k < bins; ++k) {
      RIDGE_UNROLL
      for (int n = 0; n < N; ++n) {
        const Doubles part = (anchor_[k] + x[n]) - anchor_[k];
        sum_[k][n] += part;
        x[n] -= part;
      }
    }
  }

  /// Adds what there is to other sums, and has nothing then.
  RIDGE_FN void move_to(Sum* (&sums)[N]) {
    RIDGE_UNROLL
    for (int n = 0; n < N; ++n) {
      Sum one;
      one.clear();
      one.w[0] = anchor_[0];
      RIDGE_UNROLL
      for (int k = 0; k < bins; ++k)
        one.w[k + 1] = sum_[k][n];
      one.w[Sum::words - 1] = aside_[n];
      sums[n]->merge(one);
    }
    clear();
  }

private:
  static constexpr int bins = 3;

  /// Another batch's state, number by number.
  RIDGE_FN void take(const BinnedBatch& from) {
    bound_ = from.bound_;
    RIDGE_UNROLL
    for (int k = 0; k < bins; ++k) {
      anchor_[k] = from.anchor_[k];
      RIDGE_UNROLL
      for (int n = 0; n < N; ++n)
        sum_[k][n] = from.sum_[k][n];
    }
    RIDGE_UNROLL
    for (int n = 0; n < N; ++n)
      aside_[n] = from.aside_[n];
  }
  RIDGE_FN void clear() {
    RIDGE_UNROLL
    for (int n = 0; n < N; ++n) {
      RIDGE_UNROLL
      for (int k = 0; k < bins; ++k)
        sum_[k][n] = Doubles(0.0);
      aside_[n] = Doubles(0.0);
    }
  }
  RIDGE_FN void set_anchors(const Doubles& top) {
    anchor_[0] = top;
    RIDGE_UNROLL
    for (int k = 1; k < bins; ++k)
      anchor_[k] = anchor_[k - 1] * Doubles(Sum::next_bin);
    bound_ = top * Doubles(0x1p-14);
  }
  /// Raises the bins of all sums above x, or takes what is beyond all bins aside.
  [[gnu::noinline]] void make_room(Doubles (&x)[N]) {
    for (int n = 0; n < N; ++n) {
      Sum one;
      one.clear();
      one.w[0] = anchor_[0];
      one.make_room(x[n]);
      aside_[n] += one.w[Sum::words - 1];
      raise(one.w[0]);
    }
  }
  void raise(const Doubles& top) {
    for (int i = 0; i < 8; ++i) {
      for (double at = anchor_[0][i]; at < top[i]; at *= Sum::bin) {
        for (int n = 0; n < N; ++n) {
          for (int k = bins - 1; k > 0; --k)
            sum_[k][n].set(i, sum_[k - 1][n][i]);
          sum_[0][n].set(i, 0.0);
        }
      }
    }
    set_anchors(top);
  }

  Doubles anchor_[bins], bound_;
  Doubles sum_[bins][N];
  Doubles aside_[N];
};

} // namespace ridge::lattice::cpu_reduce::inline RIDGE_TARGET_NAME
