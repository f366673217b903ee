// The source of twins.
#include <ridge/doctor/foreign/twin.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::doctor {

namespace {

constexpr int least_words = 1024; // of shared memory, where a twin uses it

/// For all compilers: what differs is defined before it.
constexpr const char* twin_begin = R"(
typedef unsigned long long Index;
struct alignas(LANE_BYTES) Number { unsigned word[LANE_BYTES / 4]; };
#define AT_LEAST_1(n) ((n) > 0 ? (n) : 1)
#define GROUP (TOGETHER < AT_LEAST_1(LOADS) ? TOGETHER : AT_LEAST_1(LOADS))

#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define INLINE __device__ __forceinline__
#define TOUCH(index)
#define TOUCH_SHARED(index)
#define DID(what, often)
#define BARRIER() __syncthreads()
INLINE float slow(float a) {
  asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a));
  return a;
}
#else
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>
struct Place { unsigned x; } blockIdx, threadIdx;
#define __shared__
#define INLINE static
float tile[SHARED_WORDS];
static void atomicAdd(float* sum, float value) { *sum += value; }
static float slow(float a) { return 1 / std::sqrt(a); }
std::vector<Index> touched, touched_shared;
std::map<std::string, Index> did;
#define KERNEL static void
#define TOUCH(index) touched.push_back(index)
#define TOUCH_SHARED(index) if (touched_shared.size() < 64) touched_shared.push_back(index)
#define DID(what, often) did[what] += often
#define BARRIER()
#endif

struct Chains {
  float a[TOGETHER];
  double b[TOGETHER];
  unsigned n[TOGETHER];
};

// Arithmetic of a step. `add` and `zero` are 0, which no compiler knows.
INLINE void compute(Chains& c, float add, unsigned zero) {
  const int there_and_back = CONVERSIONS / 2;
  const int inner = there_and_back > 0 ? AT_LEAST_1(FP64 / AT_LEAST_1(there_and_back)) : 0;
#pragma unroll
  for (int p = 0; p < there_and_back; ++p) {
    double wide = c.a[p % TOGETHER];
#pragma unroll
    for (int q = 0; q < inner; ++q)
      wide = wide * 0.9999 + add;
    c.a[p % TOGETHER] = float(wide);
  }
#pragma unroll
  for (int f = 0; f < FP64 - there_and_back * inner; ++f)
    c.b[f % TOGETHER] = c.b[f % TOGETHER] * 0.9999 + add;
#pragma unroll
  for (int f = 0; f < FP32; ++f)
    c.a[f % TOGETHER] = c.a[f % TOGETHER] * 0.9999f + add;
#pragma unroll
  for (int f = 0; f < SPECIAL; ++f)
    c.a[f % TOGETHER] = slow(c.a[f % TOGETHER]);
#pragma unroll
  for (int f = 0; f < INTEGER; ++f)
    c.n[f % TOGETHER] =
        f % 2 == 0 ? (c.n[f % TOGETHER] << 1) + zero : c.n[f % TOGETHER] * (zero + 3) + zero;
  DID("fp32", FP32);
  DID("fp64", FP64);
  DID("special", SPECIAL);
  DID("integer", INTEGER);
  DID("conversions", there_and_back * 2);
}
)";

constexpr const char* twin_kernel = R"(
KERNEL twin(Number* y, const Number* x, const Number* far, Index mask, unsigned zero) {
  const Index block = READING < BLOCKS ? Index(blockIdx.x) * READING / BLOCKS : blockIdx.x;
  const Index id = block * THREADS + threadIdx.x;
  const Index own_id = Index(blockIdx.x) * THREADS + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const Number* const from = FAR > 0 && blockIdx.x % 32 < FAR ? far : x;
#if SHARED > 0
  extern __shared__ float tile[];
#endif
#if LOCAL > 0
  float own[NUMBERS + 32]; // its index is not known to the compiler: it is in memory
  for (int k = 0; k < NUMBERS + 32; ++k)
    own[(k + zero) % (NUMBERS + 32)] = zero;
#endif
  unsigned held[HELD + 1];
#pragma unroll
  for (int k = 0; k <= HELD; ++k)
    held[k] = k + zero;
  Chains c;
#pragma unroll
  for (int k = 0; k < TOGETHER; ++k) {
    c.a[k] = k + 1;
    c.b[k] = k + 1;
    c.n[k] = k + zero;
  }
  unsigned sum = zero; // 0, as all that is read
  float read = 0;
  const int rounds = LONGEST > 1 && blockIdx.x == BLOCKS - 1 ? LONGEST : 1;
#pragma unroll 1
  for (int l = 0; l < rounds * AT_LEAST_1(LOADS); l += GROUP) {
#if LOADS > 0
    Number got[GROUP];
#pragma unroll
    for (int t = 0; t < GROUP; ++t) {
      const int m = LONGEST > 1 ? (l + t) % LOADS : l + t;
      const Index again = Index(m) * DISTINCT % LOADS / DISTINCT * 64; // it is read once more
      const Index place = id * STRIDE + APART * (Index(m) * DISTINCT / LOADS) + again + sum;
      TOUCH(place & mask);
      got[t] = from[place & mask];
    }
#pragma unroll
    for (int t = 0; t < GROUP; ++t) {
#pragma unroll
      for (int w = 0; w < LANE_BYTES / 4; ++w)
        sum += got[t].word[w];
    }
#endif
    const float add = sum;
#pragma unroll 1
    for (int s = 0; s < STEPS * GROUP; ++s) {
#if LOCAL > 0
      float* const here = own + (unsigned(s) * ((LOCAL + 1) / 2) + sum) % NUMBERS;
#pragma unroll
      for (int k = 0; k < (LOCAL + 1) / 2; ++k) // read and written
        here[k] += add;
      DID("local", (LOCAL + 1) / 2 * 2);
      DID("fp32", (LOCAL + 1) / 2);
#endif
#if SHARED > 0
      const unsigned row = lane * WAYS + s % 8 + sum;
#pragma unroll
      for (int k = 0; k < SHARED; ++k) {
        TOUCH_SHARED(row + k);
        read += tile[row + k]; // nobody wrote it
      }
      DID("shared", SHARED);
      DID("fp32", SHARED);
#endif
#if PARTS > 1
#pragma unroll 1
      for (unsigned part = 0; part < PARTS; ++part)
        if (lane * PARTS / 32 == part) compute(c, add, zero);
#else
      compute(c, add, zero);
#endif
#if BARRIERS > 0
      BARRIER();
      DID("barriers", 1);
#endif
    }
    if (sum != 0) { // never: what is held must be there all the same
#pragma unroll
      for (int k = 0; k <= HELD; ++k)
        held[k] = (held[k] ^ sum) * (held[k] + k);
    }
  }
  float whole = read;
#pragma unroll
  for (int k = 0; k < TOGETHER; ++k)
    whole += c.a[k] + float(c.b[k]) + c.n[k];
#pragma unroll
  for (int k = 0; k <= HELD; ++k)
    sum += zero * held[k];
#if ATOMICS > 0
  float* const sums = reinterpret_cast<float*>(y);
  for (int k = 0; k < ATOMICS; ++k)
    atomicAdd(sums + (PLACES > 0 ? lane % AT_LEAST_1(PLACES) * PLACES_APART : own_id & mask),
              whole);
  DID("atomics", ATOMICS);
#endif
#if LOCAL > 0
  whole += own[sum % NUMBERS];
#endif
  Number result = {};
  result.word[0] = sum + (zero == 0 ? 0 : unsigned(whole));
  for (int s = 0; s < STORES; ++s)
    y[(own_id + Index(BLOCKS) * THREADS * s) & mask] = result;
  if (STORES == 0 && result.word[0] != 0) y[own_id & mask] = result;
}
)";

/// The program of the host.
constexpr const char* twin_end = R"(
#ifndef __CUDACC__
int main() {
  const unsigned count = BLOCKS < 4 ? BLOCKS : 4;
  const Index mask = (Index(1) << 20) - 1;
  std::vector<Number> x(mask + 1), y(mask + 1);
  std::set<Index> distinct;
  Index requests = 0, sectors = 0, passes = 0, accesses = 0;
  for (unsigned block = 0; block < count; ++block) {
    blockIdx.x = block;
    for (unsigned warp = 0; warp < THREADS; warp += 32) {
      std::vector<std::set<Index>> asked(LOADS + TOGETHER);
      std::vector<std::map<Index, std::set<Index>>> banks(64);
      for (threadIdx.x = warp; threadIdx.x < warp + 32 && threadIdx.x < THREADS; ++threadIdx.x) {
        touched.clear();
        touched_shared.clear();
        twin(y.data(), x.data(), x.data(), mask, 0);
        for (Index l = 0; l < touched.size(); ++l)
          asked[l].insert(touched[l] * LANE_BYTES / 32);
        for (Index l = 0; l < touched_shared.size(); ++l)
          banks[l][touched_shared[l] % 32].insert(touched_shared[l]);
      }
      for (const auto& request : asked) {
        requests += !request.empty();
        sectors += request.size();
        distinct.insert(request.begin(), request.end());
      }
      for (const auto& access : banks) {
        Index most = 0;
        for (const auto& [bank, words] : access)
          most = std::max<Index>(most, words.size());
        passes += most;
        accesses += most > 0;
      }
    }
  }
  std::printf("requests %llu\nsectors %llu\ndistinct %llu\nlane_bytes %d\n", requests, sectors,
              Index(distinct.size()), LANE_BYTES);
  std::printf("ways %llu\nthreads %u\n", accesses > 0 ? passes / accesses : 1, count * THREADS);
  for (const auto& [what, often] : did)
    std::printf("%s %llu\n", what.c_str(), often);
}
#endif
)";

} // namespace

std::string twin_source(const Twin& t, int held) {
  std::string text = "// A twin: " + to_text(t) + ".\n";
  const std::pair<const char*, double> all[] = {
      {"THREADS", t.threads},
      {"BLOCKS", t.blocks},
      {"HELD", held},
      {"LOADS", t.loads},
      {"DISTINCT", t.distinct},
      {"TOGETHER", t.together},
      {"LANE_BYTES", t.lane_bytes},
      {"STRIDE", t.stride},
      {"APART", t.apart > 0 ? t.apart : t.reading_blocks * t.threads * t.stride},
      {"READING", t.reading_blocks},
      {"FAR", t.far},
      {"STORES", t.stores},
      {"STEPS", t.steps},
      {"FP32", t.fp32},
      {"FP64", t.fp64},
      {"INTEGER", t.integer},
      {"SPECIAL", t.special},
      {"CONVERSIONS", t.conversions},
      {"PARTS", t.parts},
      {"SHARED", t.shared},
      {"SHARED_WORDS", std::max(least_words, t.shared_bytes / 4)},
      {"WAYS", t.ways},
      {"LOCAL", t.local},
      {"NUMBERS", t.numbers},
      {"BARRIERS", t.barriers},
      {"LONGEST", t.longest},
      {"ATOMICS", t.atomics},
      {"PLACES", t.places},
      {"PLACES_APART", t.places_apart}};
  for (const auto& [name, value] : all)
    text += fmt::format("#define {} {:.0f}{}\n", name, value, value > 1e9 ? "ULL" : "");
  return text + twin_begin + twin_kernel + twin_end;
}

} // namespace ridge::doctor
