// How fast a pass of several sweeps is on a GPU, and whether its bits are those of single sweeps.
// Stands alone: bench/gpu_pass.sh compiles it for each variant (PASS_SWEEPS, PASS_ROWS, PASS_WARPS;
// SINGLE, WAVE, MIRROR) and runs all.
#include <ridge/stencil/gpu/pass_march.hpp>
#include <ridge/stencil/laplacian.hpp>

#include "../src/device/cuda/tiles.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using namespace ridge;
using namespace ridge::stencil;
#if defined(WAVE)
struct Kernel {
  static constexpr auto footprints = std::make_tuple(star<1, 3>(), point());
  static constexpr int levels = 2;
  Laplacian<2, 3> step;
  template <class U, class B>
  RIDGE_FN auto operator()(const U& u, const B& before) const {
    return step(u) - before(0, 0, 0);
  }
};
#else
using Kernel = Laplacian<2, 3>;
#endif
constexpr int levels = levels_of<Kernel>();
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

Kernel kernel() {
  Laplacian<2, 3> k{Spacing{1, 1.25, 0.75}};
  k.centre = levels + 0.1 * k.centre;
  for (auto* weights : {&k.x, &k.y, &k.z})
    (*weights)[0] *= 0.1;
#if defined(WAVE)
  return {k};
#else
  return k;
#endif
}

__global__ void fill(Real* to, long long n) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {
    unsigned long long v = static_cast<unsigned long long>(i) * 0x9e3779b97f4a7c15ull;
    v ^= v >> 29;
    v *= 0xbf58476d1ce4e5b9ull;
    to[i] = static_cast<Real>(v >> 40) / Real(1 << 24);
  }
}

template <class K>
__global__ void single_sweep(K k, View<const Real> in, View<const Real> older, View<Real> out) {
  const Index x = blockIdx.x * 64ll + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  const Index3 n = in.extents;
  if (x < 1 || y < 1 || z < 1 || x >= n.x - 1 || y >= n.y - 1 || z >= n.z - 1) return;
  const auto u = [&](int dx, int dy = 0, int dz = 0) {
    return Pack<Real, 1>(in.data[in.at(x + dx, y + dy, z + dz)]);
  };
  if constexpr (levels_of<K>() > 1) {
    const auto before = [&](int, int = 0, int = 0) {
      return Pack<Real, 1>(older.data[older.at(x, y, z)]);
    };
    out.data[out.at(x, y, z)] = Pack<Real, 1>(k(u, before))[0];
  } else {
    out.data[out.at(x, y, z)] = Pack<Real, 1>(k(u))[0];
  }
}

/// By axis: m: mirrors half a point beyond, n: mirrors at points, p: periodic faces.
struct Faces {
  char axis[4] = "mmm";
};

/// Gives the shell of a field the values that its faces say.
__global__ void set_shell(View<Real> field, Faces faces) {
  const Index x = blockIdx.x * 64ll + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  const Index3 n = field.extents;
  if (x >= n.x) return;
  const auto inside = [&](Index i, Index size, char kind) {
    if (i >= 1 && i <= size - 2) return i;
    if (kind == 'p') return i < 1 ? size - 2 : Index{1};
    const Index further = kind == 'n' ? 1 : 0;
    return i < 1 ? 1 + further : size - 2 - further;
  };
  const Index to = field.at(x, y, z);
  const Index from = field.at(inside(x, n.x, faces.axis[0]), inside(y, n.y, faces.axis[1]),
                              inside(z, n.z, faces.axis[2]));
  if (to != from) field.data[to] = field.data[from];
}

using Bits = std::conditional_t<sizeof(Real) == 4, unsigned, unsigned long long>;

/// Counts values of `got` that differ, and those of them that are `start`'s.
__global__ void compare(const Bits* got, const Bits* right, const Bits* start, long long n,
                        unsigned* counts) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {
    if (got[i] == right[i]) continue;
    atomicAdd(counts, 1u);
    if (got[i] == start[i]) atomicAdd(counts + 1, 1u);
  }
}

/// Fields of the sizes asked for; rows as Sweeps lays them.
struct Fields {
  Index3 n;
  Index row;
  Real* data[7] = {}; ///< the newest, the level before, three of single sweeps, both of a pass
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
  [[nodiscard]] const Bits* bits(int i) const { return reinterpret_cast<const Bits*>(data[i]); }
  [[nodiscard]] View<Real> view(int i) const { return {data[i], n, row, row * n.y}; }
};

#if defined(MIRROR)
constexpr bool mirrored = true;
#else
constexpr bool mirrored = false;
#endif

template <int Sweeps, int Rows, int Warps, Store Where = Store::plain>
void measure(const Fields& f, bool checks, const Faces& faces) {
  using Body =
      stencil::gpu::PassMarch<Kernel, Real, GpuPassVariant{Sweeps, Rows, Warps, Where, mirrored}>;
  using Shape = typename Body::Shape;
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  const int blocks = device.multiProcessorCount;
  const bool tiled = device.major >= 9;
  const int vector = 16 / static_cast<int>(sizeof(Real));
  const auto periodic = [&](int axis) { return mirrored && faces.axis[axis] == 'p'; };
  const PassTiles tiles{32 * vector, Shape::tile_y, Shape::halo, Shape::radius,
                        2 * vector,  vector,        periodic(0), periodic(1)};
  const std::vector<PassJob> planned = plan_pass(tiles, f.n, blocks);
  PassJob* jobs = nullptr;
  int* taken = nullptr;
  check(cudaMalloc(&jobs, planned.size() * sizeof(PassJob)));
  check(cudaMalloc(&taken, 2 * sizeof(int)));
  check(cudaMemcpy(jobs, planned.data(), planned.size() * sizeof(PassJob), cudaMemcpyHostToDevice));
  check(cudaMemset(taken, 0, 2 * sizeof(int)));
  const auto body = [&](int from, int to) {
    const auto span = [&](int i) { return Span<Real>(f.data[i], f.elements()); };
    Body b{{kernel(), View<const Real>(f.view(from)), Span<const Real>(span(from)), f.view(to),
            Span<const PassJob>(jobs, static_cast<Index>(planned.size())), Span<int>(taken, 2)}};
    auto& call = b.call;
    if constexpr (levels > 1) call.older = {Span<const Real>(span(from + 1)), span(to + 1), {}};
    if constexpr (mirrored) {
      const Index size[3] = {f.n.x, f.n.y, f.n.z};
      for (int axis = 0; axis < 3; ++axis) {
        for (int side = 0; side < 2; ++side) {
          auto& face = call.faces.face[axis][side];
          face.at = side == 0 ? 1 : static_cast<int>(size[axis]) - 2;
          face.behind = faces.axis[axis] == 'm' ? 1 : 0;
          if (periodic(axis)) face.at = side == 0 ? -call.faces.none : call.faces.none;
        }
        call.faces.periodic[axis] = periodic(axis);
      }
      call.faces.sides_move = true;
    }
    if constexpr (Shape::takes_tiles) {
      const auto map_of = [&](int i) {
        const auto v = f.view(i);
        return ridge::gpu::KernelTileMap{ridge::gpu::cuda_tiles(
            {v.data, v.extents, v.row, v.plane, sizeof(Real), 32 * vector, Shape::tile_y})};
      };
      if (tiled) call.map = map_of(from);
      if constexpr (levels > 1) {
        if (tiled) call.older.map = map_of(from + 1);
      }
    }
    return b;
  };
  const auto* const function = reinterpret_cast<const void*>(&ridge::gpu::entry<Body>);
  const int shared = Shape::shared_bytes(32, tiled);
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function));
  const auto pass = [&](int from, int to) {
    ridge::gpu::entry<Body><<<blocks, Body::max_threads, shared>>>(body(from, to));
    check(cudaGetLastError());
  };

  unsigned different[2] = {};
  if (checks) {
    const auto bytes = static_cast<std::size_t>(f.elements()) * sizeof(Real);
    for (int i = 2; i < 7; ++i)
      check(cudaMemcpy(f.data[i], f.data[0], bytes, cudaMemcpyDeviceToDevice));
    const dim3 grid(static_cast<unsigned>((f.n.x + 63) / 64), static_cast<unsigned>(f.n.y),
                    static_cast<unsigned>(f.n.z));
    const auto reflect = [&](int i) {
      if (mirrored) set_shell<<<grid, 64>>>(f.view(i), faces);
    };
    reflect(0);
    int newest = 0;
    int before = 1;
    for (int s = 0; s < Sweeps; ++s) {
      const int out = 2 + s % 3;
      single_sweep<<<grid, 64>>>(kernel(), View<const Real>(f.view(newest)),
                                 View<const Real>(f.view(before)), f.view(out));
      reflect(out);
      before = newest;
      newest = out;
    }
    pass(0, 5);
    unsigned* counter = nullptr;
    check(cudaMalloc(&counter, sizeof(different)));
    check(cudaMemset(counter, 0, sizeof(different)));
    const int right[2] = {newest, before};
    for (int level = 0; level < levels; ++level) {
      reflect(5 + level);
      compare<<<1024, 256>>>(f.bits(5 + level), f.bits(right[level]), f.bits(0), f.elements(),
                             counter);
    }
    check(cudaMemcpy(different, counter, sizeof(different), cudaMemcpyDeviceToHost));
    cudaFree(counter);
  }

  cudaEvent_t begin{}, end{};
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 9; ++i) {
    check(cudaEventRecord(begin));
    pass(5 * (i % 2), 5 - 5 * (i % 2));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (i > 1) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  const double points =
      static_cast<double>(f.n.x) * static_cast<double>(f.n.y) * static_cast<double>(f.n.z) * Sweeps;
  std::printf("%s %s %s %ldx%ldx%ld T=%d rows=%d warps=%d %s jobs=%zu regs=%d local=%zu: "
              "%.0f Gpt/s (%.3f ms, min %.3f)%s\n",
              levels > 1 ? "wave" : "heat", mirrored ? faces.axis : "still",
              sizeof(Real) == 8 ? "fp64" : "fp32", static_cast<long>(f.n.x),
              static_cast<long>(f.n.y), static_cast<long>(f.n.z), Sweeps, Rows, Warps,
              Where == Store::plain ? "plain" : "nontemporal", planned.size(), attributes.numRegs,
              attributes.localSizeBytes, points / (times[times.size() / 2] * 1e6),
              times[times.size() / 2], times[0],
              !checks             ? ""
              : different[0] == 0 ? " bits ok"
                                  : " WRONG");
  if (different[0] != 0)
    std::printf("%u values differ, %u of them are the start's\n", different[0], different[1]);
  std::fflush(stdout);
  cudaFree(jobs);
  cudaFree(taken);
  if (different[0] != 0) std::exit(1);
}

#if !defined(PASS_SWEEPS)
#define PASS_SWEEPS 4
#define PASS_ROWS 2
#define PASS_WARPS 16
#endif

} // namespace

/// Sizes NXxNYxNZ, of which each is checked where it has few points; MIRROR: before them faces by
/// axis, such as pmn, for those that follow.
int main(int count, char** words) {
  Faces faces;
  for (int i = 1; i < count; ++i) {
    long x = 0, y = 0, z = 0;
    if (std::strlen(words[i]) == 3) {
      std::memcpy(faces.axis, words[i], 3);
      continue;
    }
    if (std::sscanf(words[i], "%ldx%ldx%ld", &x, &y, &z) != 3) return 2;
    const Fields fields(Index3{x, y, z});
    measure<PASS_SWEEPS, PASS_ROWS, PASS_WARPS>(fields, x * y * z <= 1l << 28, faces);
  }
}
