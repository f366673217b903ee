// Roof kernels of GPUs, real and emulated: 16-byte accesses, neighbours by neighbours.
#include <ridge/core/math.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/record/roof_kernels.hpp>

#include "roof_memory_bodies.hpp"
#include "with_unroll.hpp"

#include <algorithm>
#include <climits>
#include <type_traits>

namespace ridge {

namespace {

using namespace roof;

/// Values a thread iterates at once: they hide a latency of some cycles even where few warps do.
constexpr int chains = 8;
/// Rounds of one turn of the loop, so many that counting them does not count. Clang for AMD joins
/// neighbouring chains to packed operations, which are twice as fast, no deeper than 12 rounds.
constexpr int unrolled = std::is_same_v<Here, target::Hip> ? 8 : 32;
/// Blocks per unit: half of the most threads, so that registers never limit it.
constexpr int iterating_blocks = 4;

/// to[i] = from[i] after `rounds` steps.
template <class T, class Step>
struct Iterate {
  static constexpr int max_threads = block_threads;
  static constexpr const char* name = Step::name;
  Span<T> to;
  Span<const T> from;
  Step step;
  int rounds;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Index first = Index{lane.block().x} * block_threads * chains + lane.thread().x;
    T x[chains];
    RIDGE_UNROLL
    for (int c = 0; c < chains; ++c) {
      const Index i = first + c * block_threads;
      x[c] = i < to.size ? lane.load(from, i) : T(1);
    }
    int round = 0;
    for (; round + unrolled <= rounds; round += unrolled) {
      RIDGE_UNROLL
      for (int r = 0; r < unrolled; ++r) {
        RIDGE_UNROLL
        for (int c = 0; c < chains; ++c)
          x[c] = step(x[c]);
      }
    }
    for (; round < rounds; ++round) {
      RIDGE_UNROLL
      for (int c = 0; c < chains; ++c)
        x[c] = step(x[c]);
    }
    RIDGE_UNROLL
    for (int c = 0; c < chains; ++c) {
      const Index i = first + c * block_threads;
      if (i < to.size) lane.store(to, i, x[c]);
    }
  }
};

template <class T>
struct FmaStep {
  static constexpr const char* name = "roof fma";
  T a, b;
  RIDGE_DEVICE T operator()(T x) const { return x * a + b; }
};

struct RsqrtStep {
  static constexpr const char* name = "roof rsqrt";
  RIDGE_DEVICE float operator()(float x) const { return approximate_rsqrt(x); }
};

struct Nothing {
  static constexpr int max_threads = block_threads;
  static constexpr const char* name = "roof empty";
  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& /*lane*/) const {}
};

struct Chase {
  static constexpr int max_threads = block_threads;
  static constexpr const char* name = "roof chase";
  Span<Index> at;
  Span<const Index> next;
  Index steps;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    if (lane.rank() != 0) return;
    Index i = lane.load_written(at, 0);
    for (Index step = 0; step < steps; ++step)
      i = lane.load(next, i);
    lane.store(at, 0, i);
  }
};

LaunchShape shape_of(Index blocks) {
  if (blocks > INT_MAX) throw UsageError("too many elements for a roof kernel");
  return {{static_cast<int>(blocks), 1, 1}, {block_threads, 1, 1}, 0};
}

Index units_of(const Device& device) {
  return std::max(device.facts().units, 1);
}

Index blocks_of(const Device& device, Index count, Index tile, int spread) {
  const Index tiles = ceil_div(count, tile);
  return spread > 0 ? std::min(tiles, units_of(device) * spread) : tiles;
}

template <class Values>
void store_all(Queue& queue, Span<double> to, const Values& values, const RoofVariant& variant) {
  with_unroll(variant.unroll, variant.nontemporal, [&](auto unroll, auto nontemporal) {
    constexpr int n = decltype(unroll)::value;
    using Body = Store<n, decltype(nontemporal)::value, Values>;
    const Index blocks = blocks_of(queue.device(), to.size, tile_size<n>, variant.spread);
    launch_body(queue, shape_of(blocks), Body{to, values, variant.passes});
  });
}

void copy(Queue& queue, Span<double> to, Span<const double> from, const RoofVariant& variant) {
  store_all(queue, to, Copied{from}, variant);
}

void write(Queue& queue, Span<double> to, double value, const RoofVariant& variant) {
  store_all(queue, to, Constant{value}, variant);
}

void triad(Queue& queue, Span<double> to, Span<const double> a, Span<const double> b, double factor,
           const RoofVariant& variant) {
  store_all(queue, to, Scaled{a, b, factor}, variant);
}

void read(Queue& queue, Span<double> sums, Span<const double> from, const RoofVariant& variant) {
  with_unroll(variant.unroll, false, [&](auto unroll, auto /*nontemporal*/) {
    constexpr int n = decltype(unroll)::value;
    const Index blocks = blocks_of(queue.device(), from.size, tile_size<n>, variant.spread);
    launch_body(queue, shape_of(blocks), Read<n>{sums, from, variant.passes});
  });
}

Index count_sums(const Device& device, Index count, const RoofVariant& variant) {
  const Index tile = Index{block_threads} * variant.unroll * wide;
  return blocks_of(device, count, tile, variant.spread) *
         (block_threads / device.facts().warp_width);
}

template <class T, class Step>
void iterate(Queue& queue, Span<T> to, Span<const T> from, Step step, int rounds) {
  constexpr Index per_block = Index{block_threads} * chains;
  launch_body(queue, shape_of(ceil_div(to.size, per_block)),
              Iterate<T, Step>{to, from, step, rounds});
}

template <class T>
void fma(Queue& queue, Span<T> to, Span<const T> from, T a, T b, int rounds) {
  iterate(queue, to, from, FmaStep<T>{a, b}, rounds);
}

void rsqrt(Queue& queue, Span<float> to, Span<const float> from, int rounds) {
  iterate(queue, to, from, RsqrtStep{}, rounds);
}

Index values_at_once(const Device& device) {
  return units_of(device) * iterating_blocks * block_threads * chains;
}

void empty(Queue& queue) {
  launch_body(queue, shape_of(units_of(queue.device())), Nothing{});
}

void chase(Queue& queue, Span<Index> at, Span<const Index> next, Index steps) {
  launch_body(queue, shape_of(1), Chase{at, next, steps});
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
