// Reductions staged through memory, as Grid's guide describes them: a first launch writes a result
// a site, or a bundle of its components, and a second one reduces what was written. They move the
// field up to three times; they are here to be measured.
#pragma once

#include <ridge/lattice/gpu/flat_reduce.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Reals of all lanes of one component of a group.
struct Vectors {
  int nsimd = 1, parts = 1, components = 1;
  Index groups = 0;
  [[nodiscard]] RIDGE_FN Index at(Index group, int components_, int c, int lane) const {
    return ((group * components_ + c) * nsimd + lane) * parts;
  }
};

/// Copies components base ... base + count - 1 of every site.
template <class T>
struct StageBundle {
  static constexpr int max_threads = 1024;
  static constexpr const char* name = "lattice reduction, bundle";
  Span<const T> from;
  Span<T> to;
  Vectors v;
  int base, count;
  bool across; ///< a thread has one component, else all of them

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const int threads = lane.block_extent().x;
    const Index item = Index{lane.block().x} * (threads / v.nsimd) + lane.thread().x / v.nsimd;
    const int l = lane.thread().x % v.nsimd;
    const Index group = across ? item / count : item;
    if (group >= v.groups) return;
    const int first = across ? static_cast<int>(item % count) : 0;
    const int end = across ? first + 1 : count;
    for (int k = first; k < end; ++k) {
      for (int p = 0; p < v.parts; ++p) {
        const T value = lane.load(from, v.at(group, v.components, base + k, l) + p);
        lane.store(to, v.at(group, count, k, l) + p, value);
      }
    }
  }
};

/// Reduces every site to one number.
template <class T, class R>
struct StageNumber {
  static constexpr int max_threads = 1024;
  static constexpr const char* name = "lattice reduction, site by site";
  using A = typename R::template Accumulator<double>;
  Operands<R, T> in;
  Span<double> to;
  Vectors v;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const int threads = lane.block_extent().x;
    const Index group = Index{lane.block().x} * (threads / v.nsimd) + lane.thread().x / v.nsimd;
    const int l = lane.thread().x % v.nsimd;
    if (group >= v.groups) return;
    A re, im;
    re.clear();
    im.clear();
    for (int c = 0; c < v.components; ++c) {
      const Index at = v.at(group, v.components, c, l);
      for (int p = 0; p < v.parts; ++p)
        take(lane, at, p, re, im);
    }
    const int parts = R::parts == Parts::joined ? 1 : v.parts;
    const Index site = (group * v.nsimd + l) * parts;
    lane.store(to, site, re.value());
    if (parts == 2) lane.store(to, site + 1, im.value());
  }

private:
  template <class Lane>
  RIDGE_DEVICE void take(const Lane& lane, Index at, int p, A& re, A& im) const {
    const R& r = in.reduction;
    const T x = lane.load(in.x, at + p);
    if constexpr (R::stores) {
      T z;
      if constexpr (R::inputs == 2) {
        z = stored_of(r, x, lane.load(in.y, at + p));
      } else {
        z = stored_of(r, x);
      }
      lane.store(in.z, at + p, z);
      re.add(term_of(r, static_cast<double>(z)));
    } else if constexpr (R::inputs == 2) {
      const double value = x;
      re.add(term_of(r, value, static_cast<double>(lane.load(in.y, at + p))));
      if (R::parts == Parts::crossed && v.parts == 2) {
        const double other = lane.load(in.y, at + 1 - p);
        im.add(term_of(r, p == 0 ? value : -value, other));
      }
    } else {
      const double term = term_of(r, static_cast<double>(x));
      (R::parts == Parts::apart && p == 1 ? im : re).add(term);
    }
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
