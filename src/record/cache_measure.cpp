// The points of a reuse curve, measured.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/record/cache_roof.hpp>

#include "roof_session.hpp"
#include "roof_ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <vector>

namespace ridge {

namespace {

constexpr Index line_bytes(bool gpu) {
  return gpu ? 128 : 64;
}

/// Of a region of the chain that is walked in random order before the next: what a core's huge page
/// holds, so that looking up addresses takes no time, and more than its prefetchers make sense of.
constexpr Index region_bytes = Index{2} << 20;

/// Lines that a chain visits before it is timed; from there on nothing of more is in any cache.
constexpr Index most_visited = Index{1} << 22;
constexpr Index steps_timed = 1 << 14;

/// Element i holds where the next line is: all lines of `bytes` in a ring.
std::vector<Index> ring_of_lines(Index bytes, Index line) {
  const Index step = line / static_cast<Index>(sizeof(Index));
  const Index lines = bytes / line;
  std::vector<Index> order(static_cast<std::size_t>(lines));
  std::iota(order.begin(), order.end(), Index{0});
  std::mt19937_64 random(1);
  for (Index first = 0; first < lines; first += region_bytes / line) {
    const Index end = std::min(first + region_bytes / line, lines);
    std::shuffle(order.begin() + first, order.begin() + end, random);
  }
  std::vector<Index> next(static_cast<std::size_t>(lines * step), 0);
  for (std::size_t i = 0; i < order.size(); ++i)
    next[static_cast<std::size_t>(order[i] * step)] = order[(i + 1) % order.size()] * step;
  return next;
}

/// Cycles a second: additions of which each needs the one before take one cycle each.
double clock_of_a_core() {
  constexpr Index additions = Index{1} << 16; // so few that some of the repeats are not interrupted
  double best = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    Index sum = 1;
    for (Index i = 0; i < additions; i += 16) {
      RIDGE_UNROLL
      for (int u = 0; u < 16; ++u) {
        sum += i;
        asm volatile("" : "+r"(sum)); // neither left out nor joined with the next
      }
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(additions) / spent.count());
  }
  return best;
}

class Curve {
public:
  Curve(RoofSession& session, CacheRoof& roof)
      : session_(session), roof_(roof), gpu_(session.device().is_gpu()) {}

  void measure() {
    const std::vector<Index> sizes = sizes_to_measure();
    const Index most = sizes.back();
    const Device& device = session_.device();
    from_ = Field<double>(device, {most / element}, "cache from");
    to_ = Field<double>(device, {most / element}, "cache to");
    session_.kernels().write(session_.queue(), from_.elements(), 1, {});
    session_.kernels().write(session_.queue(), to_.elements(), 1, {});
    choose_ways();
    for (const Index bytes : sizes) {
      session_.announce(fmt::format("reads of {} over and over", to_text(Bytes{bytes})));
      ReusePoint p;
      p.bytes = Bytes{bytes};
      p.read = rate(bytes, [&](int passes) { read(bytes, passes); });
      p.beside_plain = rate(bytes, [&](int passes) { copy(bytes, plain_, passes); });
      p.beside_nontemporal = rate(bytes, [&](int passes) { copy(bytes, nontemporal_, passes); });
      p.latency = latency(bytes);
      roof_.points.push_back(p);
    }
  }

private:
  static constexpr Index element = sizeof(double);

  /// Two an octave, at multiples of pages.
  [[nodiscard]] std::vector<Index> sizes_to_measure() const {
    const Index cache = roof_.cache.value;
    const Index room = session_.device().free_memory().value / 4 / 3;
    const Index most = std::min(4 * cache, room);
    const Index least = gpu_ ? cache / 32 : std::min<Index>(Index{16} << 10, cache / 4);
    if (most < 2 * cache) {
      throw Failure(fmt::format("the reuse curve takes three arrays of twice the last-level cache, "
                                "{}; of {} that are free it takes a quarter",
                                to_text(Bytes{6 * cache}),
                                to_text(session_.device().free_memory())));
    }
    std::vector<Index> sizes;
    for (Index bytes = most; bytes >= least; bytes /= 2) {
      sizes.push_back(bytes / page * page);
      if (!session_.is_quick()) sizes.push_back(bytes * 5 / 7 / page * page);
    }
    std::reverse(sizes.begin(), sizes.end());
    return sizes;
  }

  /// Those that are fastest in half of the cache are taken everywhere, so that the curve is one.
  void choose_ways() {
    const Index bytes = roof_.cache.value / 4 / page * page;
    std::vector<RoofVariant> variants;
    for (const int unroll : {2, 4, 8}) {
      for (const int spread : gpu_ ? std::vector{4, 8, 16} : std::vector{1})
        variants.push_back({false, unroll, spread});
    }
    Index most_sums = 0;
    for (const RoofVariant& v : variants)
      most_sums =
          std::max(most_sums, session_.kernels().sums(session_.device(), from_.elements().size, v));
    sums_ = Field<double>(session_.device(), {most_sums}, "cache sums");
    const auto fastest = [&](const auto& launch) {
      return *std::min_element(variants.begin(), variants.end(),
                               [&](const RoofVariant& a, const RoofVariant& b) {
                                 const auto time = [&](const RoofVariant& v) {
                                   return session_.glance([&] { launch(v); });
                                 };
                                 return time(a) < time(b);
                               });
    };
    const int passes = passes_for(bytes);
    read_ = fastest([&](RoofVariant v) {
      read_ = v;
      read(bytes, passes);
    });
    plain_ = fastest([&](const RoofVariant& v) { copy(bytes, v, passes); });
    for (RoofVariant& v : variants)
      v.nontemporal = true;
    nontemporal_ = fastest([&](const RoofVariant& v) { copy(bytes, v, passes); });
  }

  /// So many that a launch takes long beside its start.
  [[nodiscard]] int passes_for(Index bytes) const {
    const Index enough = gpu_ ? Index{4} << 30 : Index{64} << 20;
    return static_cast<int>(std::clamp<Index>(enough / bytes, 4, 4096));
  }

  void read(Index bytes, int passes) {
    RoofVariant v = read_;
    v.passes = passes;
    session_.kernels().read(session_.queue(), sums_.elements(), {from_.data(), bytes / element}, v);
  }
  void copy(Index bytes, RoofVariant v, int passes) {
    v.passes = passes;
    session_.kernels().copy(session_.queue(), {to_.data(), bytes / element},
                            {from_.data(), bytes / element}, v);
  }

  template <class Launch>
  [[nodiscard]] double rate(Index bytes, const Launch& launch) {
    const int passes = passes_for(bytes);
    const Seconds seconds = least([&] { launch(passes); });
    return static_cast<double>(bytes) * passes / seconds.value;
  }

  [[nodiscard]] Seconds latency(Index bytes) {
    Queue& queue = session_.queue();
    const Index line = line_bytes(gpu_);
    const std::vector<Index> ring = ring_of_lines(bytes, line);
    const Field<Index> next(session_.device(), {static_cast<Index>(ring.size())}, "cache ring");
    const Field<Index> at(session_.device(), {Index{1}}, "cache at");
    const Index start = 0;
    copy_to_device(queue, next.data(), ring.data(), next.count());
    copy_to_device(queue, at.data(), &start, 1);
    const auto go = [&](Index steps) {
      session_.kernels().chase(queue, at.elements(), {next.data(), next.count()}, steps);
    };
    go(std::min(bytes / line, most_visited));
    const Seconds seconds = least([&] { go(steps_timed); });
    return {seconds.value / static_cast<double>(steps_timed)};
  }

  /// What a cache can do is what it did at least once; others can only slow it down.
  template <class Launch>
  [[nodiscard]] Seconds least(const Launch& launch) {
    const int repeats = session_.is_quick() ? 5 : 15;
    return ridge::measure(session_.queue(), launch,
                          {.repeats = repeats, .warm_up = 1, .patience = {1}})
        .least;
  }

  static constexpr Index page = 4096;

  RoofSession& session_;
  CacheRoof& roof_;
  bool gpu_;
  Field<double> from_, to_, sums_;
  RoofVariant read_, plain_, nontemporal_;
};

} // namespace

CacheRoof measure_cache(const Device& device, const RoofOptions& options) {
  if (facts_of(device).is_emulated)
    throw UsageError("an emulated GPU has no memory of its own, so no caches to measure");
  const DeviceFacts& facts = device.facts();
  CacheRoof roof{device.id(), facts.name, facts.last_level_cache, {}, 0, {}};
  roof.smaller = device.is_gpu() ? Bytes{} : Bytes{facts.units * facts.l2.value};
  if (!device.is_gpu()) roof.clock_hz = clock_of_a_core();
  Roof unused{device.id(), facts.name, {}};
  RoofSession session(device, options, unused);
  Curve(session, roof).measure();
  return roof;
}

} // namespace ridge
