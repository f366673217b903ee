// Roof kernels of the cpu: packs of its SIMD width on pinned threads.
#include <ridge/core/math.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/record/roof_kernels.hpp>

#include "with_unroll.hpp"

#include <algorithm>

namespace ridge {

namespace {

/// Shares begin at multiples of this many elements, in every kernel the same: the thread that
/// touched memory first is the one that uses it.
constexpr Index grain = 4096;

/// Two pipes with a latency of 4 or 5 cycles need 8 to 10 independent operations; 12 packs and two
/// constants still fit in 16 registers.
constexpr int chains = 12;

template <class T>
constexpr int lanes = lanes_of<NativePack<T>>;

/// Calls `tile(i)` for packs at i, i + lanes, ..., `Unroll` of them, and `single(i)` for elements
/// left over, over the whole of `share` in `streams` places in turn.
template <int Unroll, class Tile, class Single>
[[gnu::always_inline]] inline void walk(cpu::Range share, int streams, Tile tile, Single single) {
  constexpr Index step = Index{Unroll} * lanes<double>;
  const Index places = std::max(streams, 1);
  const Index part = (share.end - share.begin) / places / step * step;
  for (Index i = share.begin; i < share.begin + part; i += step) {
    for (Index place = 0; place < places; ++place)
      tile(i + place * part);
  }
  for (Index i = share.begin + places * part; i < share.end; ++i)
    single(i);
}

/// Runs `work(share)` on all threads, once a pass.
template <class Work>
void on_shares(Index count, int passes, Work work) {
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (int pass = 0; pass < passes && cpu::goes_on(); ++pass)
      work(cpu::share_of(count, thread, threads, grain), thread);
#if defined(__x86_64__)
    _mm_sfence(); // non-temporal stores are in memory before the launch is over
#endif
  });
}

/// The pack at `from`; asks for what comes later.
[[gnu::always_inline]] inline NativePack<double> load(const double* from,
                                                      const cpu::LinesAhead& ahead) {
  if (ahead) ahead.ask(from);
  return NativePack<double>::load(from);
}

/// to[i] = value(i): the common form of copy, write and triad. `pack_at` and `at` give the values.
template <class PackAt, class At>
void store_all(Span<double> to, const RoofVariant& variant, PackAt pack_at, At at) {
  with_unroll(variant.unroll, variant.nontemporal, [&](auto unroll, auto nontemporal) {
    constexpr int n = decltype(unroll)::value;
    on_shares(to.size, variant.passes, [&](cpu::Range share, int /*thread*/) {
      double* const out = to.data;
      walk<n>(
          share, variant.spread,
          [=](Index i) {
            NativePack<double> x[n];
            RIDGE_UNROLL
            for (int u = 0; u < n; ++u)
              x[u] = pack_at(i + Index{u} * lanes<double>);
            RIDGE_UNROLL
            for (int u = 0; u < n; ++u) {
              double* const there = out + i + Index{u} * lanes<double>;
              if constexpr (decltype(nontemporal)::value) {
                x[u].stream(there);
              } else {
                x[u].store(there);
              }
            }
          },
          [=](Index i) { out[i] = at(i); });
    });
  });
}

void copy(Queue& /*queue*/, Span<double> to, Span<const double> from, const RoofVariant& variant) {
  const double* const in = from.data;
  const cpu::LinesAhead ahead = cpu::LinesAhead::by_streams(variant.streams);
  store_all(
      to, variant, [=](Index i) { return load(in + i, ahead); }, [=](Index i) { return in[i]; });
}

void write(Queue& /*queue*/, Span<double> to, double value, const RoofVariant& variant) {
  store_all(
      to, variant, [=](Index /*i*/) { return NativePack<double>(value); },
      [=](Index /*i*/) { return value; });
}

void triad(Queue& /*queue*/, Span<double> to, Span<const double> a, Span<const double> b,
           double factor, const RoofVariant& variant) {
  using P = NativePack<double>;
  const double* const x = a.data;
  const double* const y = b.data;
  const cpu::LinesAhead ahead = cpu::LinesAhead::by_streams(variant.streams);
  store_all(
      to, variant, [=](Index i) { return load(x + i, ahead) + P(factor) * load(y + i, ahead); },
      [=](Index i) { return x[i] + factor * y[i]; });
}

void read(Queue& /*queue*/, Span<double> sums, Span<const double> from,
          const RoofVariant& variant) {
  using P = NativePack<double>;
  std::fill(sums.data, sums.data + sums.size, 0.0);
  with_unroll(variant.unroll, false, [&](auto unroll, auto /*nontemporal*/) {
    constexpr int n = decltype(unroll)::value;
    on_shares(from.size, variant.passes, [&](cpu::Range share, int thread) {
      const double* const in = from.data;
      const cpu::LinesAhead ahead = cpu::LinesAhead::by_streams(variant.streams);
      P sum[n];
      for (P& s : sum)
        s = P(0);
      double rest = 0;
      walk<n>(
          share, variant.spread,
          [&](Index i) {
            RIDGE_UNROLL
            for (int u = 0; u < n; ++u)
              sum[u] += load(in + i + Index{u} * lanes<double>, ahead);
          },
          [&](Index i) { rest += in[i]; });
      for (int u = 1; u < n; ++u)
        sum[0] += sum[u];
      for (int l = 0; l < lanes<double>; ++l)
        rest += sum[0][l];
      sums.data[thread] += rest;
    });
  });
}

Index count_sums(const Device& /*device*/, Index /*count*/, const RoofVariant& /*variant*/) {
  return cpu::default_threads();
}

/// to[i] = from[i] after `rounds` steps; a thread takes `chains` packs through all of them at once.
template <class T, class Step>
void iterate(Span<T> to, Span<const T> from, int rounds, Step step) {
  using P = NativePack<T>;
  constexpr Index group = Index{chains} * lanes<T>;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const cpu::Range share = cpu::share_of(to.size, thread, threads, group);
    Index i = share.begin;
    for (; i + group <= share.end; i += group) {
      P x[chains];
      RIDGE_UNROLL
      for (int c = 0; c < chains; ++c)
        x[c] = P::load(from.data + i + Index{c} * lanes<T>);
      for (int r = 0; r < rounds; ++r) {
        RIDGE_UNROLL
        for (int c = 0; c < chains; ++c)
          x[c] = step(x[c]);
      }
      RIDGE_UNROLL
      for (int c = 0; c < chains; ++c)
        x[c].store(to.data + i + Index{c} * lanes<T>);
    }
    for (; i < share.end; ++i) {
      P x(from.data[i]);
      for (int r = 0; r < rounds; ++r)
        x = step(x);
      to.data[i] = x[0];
    }
  });
}

template <class T>
void fma(Queue& /*queue*/, Span<T> to, Span<const T> from, T a, T b, int rounds) {
  using P = NativePack<T>;
  iterate(to, from, rounds, [a = P(a), b = P(b)](const P& x) { return x * a + b; });
}

void rsqrt(Queue& /*queue*/, Span<float> to, Span<const float> from, int rounds) {
  iterate(to, from, rounds, [](const NativePack<float>& x) { return approximate_rsqrt(x); });
}

Index values_at_once(const Device& /*device*/) {
  // Doubles leave half as many a pack: then each thread has two groups, one after the other.
  return Index{cpu::default_threads()} * chains * lanes<float>;
}

void empty(Queue& /*queue*/) {
  cpu::run(cpu::default_threads(), [](int /*thread*/, int /*threads*/) {});
}

void chase(Queue& /*queue*/, Span<Index> at, Span<const Index> next, Index steps) {
  const Index* const in = next.data;
  Index i = at.data[0];
  for (Index step = 0; step < steps; ++step)
    i = in[i];
  at.data[0] = i;
}

const RoofKernels& all_kernels() {
  static constexpr RoofKernels kernels{copy,           write,      triad,       read,
                                       count_sums,     fma<float>, fma<double>, rsqrt,
                                       values_at_once, empty,      chase};
  return kernels;
}

const Offer offered(kind_of<Here>, typeid(RoofKernels), &all_kernels);

} // namespace

} // namespace ridge
