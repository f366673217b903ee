#include <ridge/doctor/foreign/twin.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::doctor {

namespace {

constexpr double lanes_of_warp = 32, bytes_of_sector = 32;
constexpr int least_shared = 4096; // bytes, where a twin uses its shared memory

int rounded_between(double value, double least, double most) {
  return static_cast<int>(std::lround(std::clamp(value, least, most)));
}
double power_of_two(double value) {
  return std::exp2(std::ceil(std::log2(std::max(value, 1.0))));
}

/// Bytes of a load, and how far neighbouring lanes are apart, by the sectors of a request.
void take_pattern(Twin& t, const LaunchCounts& c) {
  const double sectors = *c.load_sectors / *c.load_requests;
  const double used = sectors * c.load_used.value_or(1); // bytes a lane: 32 a sector, 32 lanes
  t.lane_bytes = used > 12 ? 16 : used > 6 ? 8 : 4;
  double apart = std::max(sectors, static_cast<double>(t.lane_bytes));
  if (sectors > 0.95 * lanes_of_warp) { // each lane has a sector of its own: memory says how far
    const double moved = c.bytes_read.value_or(0) / (*c.load_requests * lanes_of_warp);
    apart = std::clamp(power_of_two(moved), bytes_of_sector, 512.0);
  }
  t.stride = rounded_between(apart / t.lane_bytes, 1, 128);
}

/// The greatest power of 2 that is not above a share's inverse, 1 to 32.
int parts_of(double share) {
  return rounded_between(std::exp2(std::floor(std::log2(1 / std::max(share, 0.01)))), 1, 32);
}

/// What a launch does beside loads, stores and arithmetic, where that may be a cause. `loads`: of
/// all its warps.
void take_rest(Twin& t, const LaunchCounts& c, double warps, double loads) {
  constexpr double most = 256, conflicts_matter = 0.3, sectors_of_access = 4;
  if (t.threads % static_cast<int>(lanes_of_warp) == 0) t.parts = parts_of(c.lanes.value_or(1));
  const double passes = c.shared_passes.value_or(0);
  const double best = std::max(passes - c.shared_conflicts.value_or(0), passes / lanes_of_warp);
  if (passes > (1 + conflicts_matter) * best && t.shared_bytes >= least_shared) {
    t.shared = rounded_between(best / loads, 1, most);
    t.ways = parts_of(best / passes);
  }
  if (const double local = c.local_sectors.value_or(0) / sectors_of_access; local > 0)
    t.local = rounded_between(local / loads, 0, most);
  if (const double atomics = c.atomic_requests.value_or(0); atomics > 0) {
    t.atomics = rounded_between(atomics / warps, 1, most);
    t.places = rounded_between(c.atomic_sectors.value_or(atomics) / atomics, 1, lanes_of_warp);
  }
}

/// A kernel for all compilers: what differs is defined before it.
constexpr const char* twin_body = R"(
typedef unsigned long long Index;
struct alignas(LANE_BYTES) Number { unsigned word[LANE_BYTES / 4]; };

#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define TOUCH(index)
#else
#include <cstdio>
#include <set>
#include <vector>
struct Place { unsigned x; } blockIdx, threadIdx;
#define __shared__
unsigned tile[SHARED_WORDS];
static void atomicAdd(float* sum, float value) { *sum += value; }
std::vector<Index> touched;
#define KERNEL static void
#define TOUCH(index) touched.push_back(index)
#endif

KERNEL twin(Number* y, const Number* x, Index mask, unsigned zero) {
  const Index id = Index(blockIdx.x) * THREADS + threadIdx.x;
  const Index all = Index(BLOCKS) * THREADS;
  const unsigned lane = threadIdx.x % 32;
#if SHARED > 0
  extern __shared__ unsigned tile[];
#endif
#if LOCAL > 0
  unsigned own[64]; // its index is not known to the compiler: it is in memory
  for (int k = 0; k < 64; ++k)
    own[(k + zero) % 64] = zero;
#endif
  unsigned held[HELD + 1];
#pragma unroll
  for (int k = 0; k <= HELD; ++k)
    held[k] = k + zero;
  float a[4] = {1, 2, 3, 4};
  double b[4] = {1, 2, 3, 4};
  unsigned sum = zero; // 0, as all that is read
  for (int l = 0; l < LOADS; l += TOGETHER) {
    Number got[TOGETHER];
#pragma unroll
    for (int t = 0; t < TOGETHER; ++t) {
      const Index place = (id + all * ((l + t) / REPEAT)) * STRIDE + (l + t) % REPEAT * 64 + sum;
      TOUCH(place & mask);
      got[t] = x[place & mask];
    }
#pragma unroll
    for (int t = 0; t < TOGETHER; ++t) {
#pragma unroll
      for (int w = 0; w < LANE_BYTES / 4; ++w)
        sum += got[t].word[w];
#if LOCAL > 0
      for (int k = 0; k < LOCAL; k += 2) // it is read and written
        own[(k + l + sum) % 64] += sum;
#endif
#if SHARED > 0
      unsigned read = 0; // nobody wrote it
#pragma unroll 8
      for (int k = 0; k < SHARED; ++k)
        read += tile[(lane * WAYS + k + l) % SHARED_WORDS];
      sum += zero * read;
#endif
#pragma unroll 1
      for (unsigned part = 0; part < PARTS; ++part) {
        if (PARTS > 1 && lane * PARTS / 32 != part) continue;
#pragma unroll
        for (int f = 0; f < FP32; ++f)
          a[f % 4] = a[f % 4] * 0.5f + sum;
#pragma unroll
        for (int f = 0; f < FP64; ++f)
          b[f % 4] = b[f % 4] * 0.5 + sum;
      }
    }
    if (sum != 0) { // never: what is held must be there all the same
#pragma unroll
      for (int k = 0; k <= HELD; ++k)
        held[k] = (held[k] ^ sum) * (held[k] + k);
    }
  }
#pragma unroll
  for (int k = 0; k <= HELD; ++k)
    sum += zero * held[k];
  sum += zero * unsigned(a[0] + a[1] + a[2] + a[3] + b[0] + b[1] + b[2] + b[3]);
#if ATOMICS > 0
  float* const sums = reinterpret_cast<float*>(y);
  for (int k = 0; k < ATOMICS; ++k)
    atomicAdd(sums + (PLACES > 0 ? lane % (PLACES + !PLACES) * 8 : id & mask), a[k % 4]);
#endif
#if LOCAL > 0
  sum += zero * own[sum % 64];
#endif
  Number result = {};
  result.word[0] = sum;
  for (int s = 0; s < STORES; ++s)
    y[(id + all * s) & mask] = result;
  if (STORES == 0 && sum != 0) y[id & mask] = result;
}

#ifndef __CUDACC__
int main() {
  const int count = BLOCKS < 4 ? BLOCKS : 4;
  const Index mask = (Index(1) << 20) - 1;
  std::vector<Number> x(mask + 1), y(mask + 1);
  std::set<Index> distinct;
  Index requests = 0, sectors = 0;
  for (int block = 0; block < count; ++block) {
    blockIdx.x = block;
    for (unsigned warp = 0; warp < THREADS; warp += 32) {
      std::vector<std::set<Index>> asked(LOADS + TOGETHER);
      for (threadIdx.x = warp; threadIdx.x < warp + 32 && threadIdx.x < THREADS; ++threadIdx.x) {
        touched.clear();
        twin(y.data(), x.data(), mask, 0);
        for (Index l = 0; l < touched.size(); ++l)
          asked[l].insert(touched[l] * LANE_BYTES / 32);
      }
      for (const auto& request : asked) {
        requests += !request.empty();
        sectors += request.size();
        distinct.insert(request.begin(), request.end());
      }
    }
  }
  std::printf("%llu %llu %llu %d\n", requests, sectors, Index(distinct.size()), LANE_BYTES);
}
#endif
)";

} // namespace

std::optional<Twin> twin_of(const ForeignKernel& kernel) {
  const LaunchCounts& c = kernel.counts;
  if (c.blocks.value_or(0) < 1 || c.block_threads.value_or(0) < 1 ||
      c.load_requests.value_or(0) <= 0 || c.load_sectors.value_or(0) <= 0)
    return {};
  Twin t;
  t.threads = rounded_between(*c.block_threads, 1, 1024);
  t.blocks = *c.blocks;
  t.registers = rounded_between(c.registers.value_or(32), 16, 255);
  t.shared_bytes = rounded_between(c.shared_bytes.value_or(0), 0, 227 << 10);
  take_pattern(t, c);
  const double warps = t.blocks * std::ceil(t.threads / lanes_of_warp);
  constexpr double most_loads = 4096, most_operations = 64;
  t.loads = rounded_between(*c.load_requests / warps, 1, most_loads);
  t.stores = rounded_between(c.store_requests.value_or(0) / warps, 0, most_loads);
  const double read = std::max(c.bytes_read.value_or(0), bytes_of_sector);
  t.repeat = rounded_between(*c.load_sectors * bytes_of_sector / read, 1, t.loads);
  t.bytes = std::max(power_of_two(read), 1e6);
  const double loads = t.blocks * t.threads * t.loads;
  take_rest(t, c, warps, warps * t.loads);
  t.fp32 = rounded_between(c.fp32_operations.value_or(0) / loads, 0, most_operations);
  t.fp64 = rounded_between(c.fp64_operations.value_or(0) / loads, 0, most_operations);
  return t;
}

std::optional<ChangedTwin> without_cause(const Twin& twin, std::string_view cause,
                                         const LaunchCounts& counts) {
  ChangedTwin changed{twin, ""};
  Twin& t = changed.twin;
  const double all = twin.blocks * twin.threads;
  const auto take_threads = [&](int threads) {
    t.threads = threads;
    t.blocks = std::ceil(all / threads);
    changed.change = fmt::format("{} threads a block", threads);
  };
  if (cause == "small-blocks") {
    take_threads(256);
  } else if (cause == "partial-warps") {
    take_threads(128);
  } else if (cause == "registers-limit-warps") {
    t.registers = std::max(24, twin.registers / 2);
    changed.change = fmt::format("{} registers", t.registers);
  } else if (cause == "shared-memory-limits-warps") {
    t.shared_bytes = twin.shared > 0 ? least_shared : 0; // what it uses stays
    changed.change = t.shared_bytes > 0 ? "4 KiB of shared memory" : "no shared memory";
  } else if (cause == "uncoalesced" && twin.stride > 1) {
    t.stride = 1;
    changed.change = "neighbouring lanes at neighbouring numbers";
  } else if ((cause == "few-blocks" || cause == "few-warps") && counts.units) {
    const double more =
        std::min(std::ceil(8 * *counts.units / twin.blocks), static_cast<double>(twin.loads));
    if (more < 2) return {};
    t.blocks = twin.blocks * more;
    t.loads = static_cast<int>(std::ceil(twin.loads / more));
    changed.change = fmt::format("{:.0f} blocks", t.blocks);
  } else if (cause == "bank-conflicts" && twin.ways > 1) {
    t.ways = 1;
    changed.change = "a bank for each lane";
  } else if (cause == "spilled-registers" && twin.local > 0) {
    t.local = 0;
    changed.change = "no array of a thread in memory";
  } else if (cause == "divergent-branches" && twin.parts > 1) {
    t.parts = 1;
    changed.change = "one branch for all lanes";
  } else if (cause == "atomics-on-few-addresses" && twin.places > 0) {
    t.places = 0;
    changed.change = "an address for each thread";
  } else if (cause == "double-by-accident" && twin.fp64 > 0) {
    t.fp32 += twin.fp64;
    t.fp64 = 0;
    changed.change = "its operations in fp32";
  } else if (cause == "dependent-latency" && 2 * twin.together <= twin.loads) {
    t.together = 2 * twin.together;
    changed.change = fmt::format("{} loads at once for {}", t.together, twin.together);
  } else {
    return {};
  }
  return changed;
}

std::string to_text(const Twin& t) {
  return fmt::format("{:.0f} x {} threads, {} registers, {} loads of {} B", t.blocks, t.threads,
                     t.registers, t.loads, t.lane_bytes);
}

int held_by(const Twin& t) {
  constexpr int around = 20; // registers that the twin needs for itself
  return std::clamp(t.registers - around - t.together * t.lane_bytes / 4, 0, 224);
}

std::string twin_source(const Twin& t, int held) {
  std::string text = "// A twin: " + to_text(t) + ".\n";
  const auto define = [&](const char* name, double value) {
    text += fmt::format("#define {} {:.0f}\n", name, value);
  };
  define("THREADS", t.threads);
  define("BLOCKS", t.blocks);
  define("HELD", held);
  define("LOADS", t.loads);
  define("TOGETHER", t.together);
  define("LANE_BYTES", t.lane_bytes);
  define("STRIDE", t.stride);
  define("REPEAT", t.repeat);
  define("STORES", t.stores);
  define("FP32", t.fp32);
  define("FP64", t.fp64);
  define("PARTS", t.parts);
  define("SHARED", t.shared);
  define("SHARED_WORDS", std::max(least_shared, t.shared_bytes) / 4);
  define("WAYS", t.ways);
  define("LOCAL", t.local);
  define("ATOMICS", t.atomics);
  define("PLACES", t.places);
  return text + twin_body;
}

} // namespace ridge::doctor
