// How fast passes of several sweeps are on a GPU, variant by variant, and whether their bits are
// those of single sweeps. Stands alone: bench/gpu_pass.sh compiles and runs it.
#include <ridge/stencil/gpu/pass_march.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace ridge;
using namespace ridge::stencil;
using Kernel = Laplacian<2, 3>;
#if defined(SINGLE)
using Real = float;
#else
using Real = double;
#endif

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

Kernel heat() {
  Kernel k{Spacing{1, 1.25, 0.75}};
  k.centre = 1 + 0.1 * k.centre;
  for (auto* weights : {&k.x, &k.y, &k.z})
    (*weights)[0] *= 0.1;
  return k;
}

__global__ void fill(Real* to, long long n) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {
    unsigned long long v = static_cast<unsigned long long>(i) * 0x9e3779b97f4a7c15ull;
    v ^= v >> 29;
    v *= 0xbf58476d1ce4e5b9ull;
    to[i] = static_cast<Real>(v >> 40) / Real(1 << 24);
  }
}

__global__ void single_sweep(Kernel k, View<const Real> in, View<Real> out) {
  const Index x = blockIdx.x * 64ll + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  const Index3 n = in.extents;
  if (x < 1 || y < 1 || z < 1 || x >= n.x - 1 || y >= n.y - 1 || z >= n.z - 1) return;
  const auto u = [&](int dx, int dy = 0, int dz = 0) {
    return Pack<Real, 1>(in.data[in.at(x + dx, y + dy, z + dz)]);
  };
  out.data[out.at(x, y, z)] = Pack<Real, 1>(k(u))[0];
}

__global__ void compare(const unsigned* a, const unsigned* b, long long n, unsigned* different) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {
    if (a[i] != b[i]) atomicAdd(different, 1u);
  }
}

/// Fields of the sizes asked for; rows as Sweeps lays them.
struct Fields {
  Index3 n;
  Index row;
  Real* data[3] = {};
  [[nodiscard]] Index elements() const { return row * n.y * n.z; }
  explicit Fields(Index3 extents) : n(extents), row((extents.x + 31) / 32 * 32) {
    if (row * static_cast<Index>(sizeof(Real)) % 2048 == 0) row += 128 / sizeof(Real);
    for (Real*& d : data) {
      check(cudaMalloc(&d, elements() * sizeof(Real)));
      fill<<<1024, 256>>>(d, elements());
    }
  }
  ~Fields() {
    for (Real* d : data)
      cudaFree(d);
  }
  [[nodiscard]] View<Real> view(int i) const { return {data[i], n, row, row * n.y}; }
};

enum class Cut { evenly, whole };

template <int Sweeps, int Rows, int Warps, Store Where = Store::plain>
void measure(const Fields& f, double edge_cost, Cut cut, bool checks) {
  using Body = stencil::gpu::PassMarch<Kernel, Real, GpuPassVariant{Sweeps, Rows, Warps, Where}>;
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  const int blocks = device.multiProcessorCount;
  const int vector = 16 / static_cast<int>(sizeof(Real));
  const PassTiles tiles{32 * vector, Body::tile_y, Body::halo, Body::radius,
                        2 * vector,  vector,       edge_cost};
  PassPlan plan = plan_pass(tiles, f.n, blocks);
  if (cut == Cut::whole) {
    const PassPlan columns = plan_pass(tiles, f.n, 1);
    plan.jobs.clear();
    plan.first.assign(1, 0);
    for (int b = 0; b < blocks; ++b) {
      for (std::size_t j = static_cast<std::size_t>(b); j < columns.jobs.size();
           j += static_cast<std::size_t>(blocks))
        plan.jobs.push_back(columns.jobs[j]);
      plan.first.push_back(static_cast<int>(plan.jobs.size()));
    }
  }
  PassJob* jobs = nullptr;
  int* first = nullptr;
  check(cudaMalloc(&jobs, plan.jobs.size() * sizeof(PassJob)));
  check(cudaMalloc(&first, plan.first.size() * sizeof(int)));
  check(cudaMemcpy(jobs, plan.jobs.data(), plan.jobs.size() * sizeof(PassJob),
                   cudaMemcpyHostToDevice));
  check(cudaMemcpy(first, plan.first.data(), plan.first.size() * sizeof(int),
                   cudaMemcpyHostToDevice));
  const auto body = [&](int from, int to) {
    Body b{heat(),
           View<const Real>(f.view(from)),
           Span<const Real>(f.data[from], f.elements()),
           f.view(to),
           Span<const PassJob>(jobs, static_cast<Index>(plan.jobs.size())),
           Span<const int>(first, static_cast<Index>(plan.first.size())),
           plan.lead_x,
           plan.lead_y,
           plan.step_x,
           plan.step_y};
    return b;
  };
  const auto* const function = reinterpret_cast<const void*>(&ridge::gpu::entry<Body>);
  const int shared = Body::shared_bytes(32);
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function));
  const auto pass = [&](int from, int to) {
    ridge::gpu::entry<Body><<<blocks, Body::max_threads, shared>>>(body(from, to));
    check(cudaGetLastError());
  };

  unsigned different = 0;
  if (checks) {
    const auto bytes = static_cast<std::size_t>(f.elements()) * sizeof(Real);
    check(cudaMemcpy(f.data[1], f.data[0], bytes, cudaMemcpyDeviceToDevice));
    check(cudaMemcpy(f.data[2], f.data[0], bytes, cudaMemcpyDeviceToDevice));
    const dim3 grid(static_cast<unsigned>((f.n.x + 63) / 64), static_cast<unsigned>(f.n.y),
                    static_cast<unsigned>(f.n.z));
    for (int s = 0; s < Sweeps; ++s)
      single_sweep<<<grid, 64>>>(heat(), View<const Real>(f.view(s == 0 ? 0 : 2 - s % 2)),
                                 f.view(2 - (s + 1) % 2));
    const int right = 2 - Sweeps % 2;
    const int got = 3 - right;
    check(cudaMemset(f.data[got], 0, bytes));
    check(cudaMemcpy(f.data[got], f.data[0], bytes, cudaMemcpyDeviceToDevice));
    pass(0, got);
    unsigned* counter = nullptr;
    check(cudaMalloc(&counter, 4));
    check(cudaMemset(counter, 0, 4));
    compare<<<1024, 256>>>(reinterpret_cast<unsigned*>(f.data[got]),
                           reinterpret_cast<unsigned*>(f.data[right]),
                           f.elements() * static_cast<Index>(sizeof(Real) / 4), counter);
    check(cudaMemcpy(&different, counter, 4, cudaMemcpyDeviceToHost));
    cudaFree(counter);
  }

  cudaEvent_t begin{}, end{};
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 9; ++i) {
    check(cudaEventRecord(begin));
    pass(1 + i % 2, 2 - i % 2);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (i > 1) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  const double points =
      static_cast<double>(f.n.x) * static_cast<double>(f.n.y) * static_cast<double>(f.n.z) * Sweeps;
  std::printf("%s %ldx%ldx%ld T=%d rows=%d warps=%d %s %s edge=%.2f jobs=%zu regs=%d local=%zu: "
              "%.0f Gpt/s (%.3f ms, min %.3f)%s\n",
              sizeof(Real) == 8 ? "fp64" : "fp32", static_cast<long>(f.n.x),
              static_cast<long>(f.n.y), static_cast<long>(f.n.z), Sweeps, Rows, Warps,
              Where == Store::plain ? "plain" : "nontemporal", cut == Cut::whole ? "whole" : "cut",
              edge_cost, plan.jobs.size(), attributes.numRegs, attributes.localSizeBytes,
              points / (times[times.size() / 2] * 1e6), times[times.size() / 2], times[0],
              !checks          ? ""
              : different == 0 ? " bits ok"
                               : " WRONG");
  std::fflush(stdout);
  cudaFree(jobs);
  cudaFree(first);
  if (different != 0) std::exit(1);
}

template <int Sweeps, int Rows, int Warps>
void measure_all(const Fields& f, bool checks) {
  measure<Sweeps, Rows, Warps>(f, 1.2, Cut::evenly, checks);
  if (f.n.x < 400) return;
  measure<Sweeps, Rows, Warps>(f, 1.0, Cut::evenly, false);
  measure<Sweeps, Rows, Warps>(f, 1.2, Cut::whole, false);
}

void measure_variants(const Fields& f, bool checks) {
#if defined(SINGLE)
  measure_all<3, 3, 16>(f, checks);
  measure_all<3, 4, 12>(f, checks);
  measure_all<4, 3, 12>(f, checks);
  measure_all<4, 4, 8>(f, checks);
  measure_all<4, 5, 8>(f, checks);
  measure_all<2, 4, 16>(f, checks);
#else
  measure_all<3, 3, 16>(f, checks);
  measure_all<3, 4, 12>(f, checks);
  measure_all<3, 6, 8>(f, checks);
  measure_all<4, 3, 12>(f, checks);
  measure_all<4, 5, 8>(f, checks);
  measure_all<2, 4, 16>(f, checks);
#endif
}

} // namespace

/// Sizes NXxNYxNZ; each is checked where it has few points.
int main(int count, char** sizes) {
  for (int i = 1; i < count; ++i) {
    long x = 0, y = 0, z = 0;
    if (std::sscanf(sizes[i], "%ldx%ldx%ld", &x, &y, &z) != 3) return 2;
    const Fields fields(Index3{x, y, z});
    measure_variants(fields, x * y * z <= 1l << 28);
  }
}
