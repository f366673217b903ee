// Would lists of half of the pairs pay on a GPU? Each pair once, action and reaction, against each pair for both bodies.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 bench/half_lists.cu -o half_lists && ./half_lists [bodies along an edge]
//
// Lennard-Jones in fp32 on a cubic lattice of density 0.8442 whose sites are shaken a little, numbered in bricks of 4 x 4 x 4,
// periodic. Lists are as those of ridge: rows of four entries side by side for the lanes of a warp. Forces of all forms
// are compared with those of whole lists. Prints milliseconds an evaluation, the least of several.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr float cutoff = 2.5F, reach = 2.8F;

struct Lists {
  int edge, bodies, entries; // of each list, a multiple of four; fillers are body `bodies`
  const float4* at;
  const unsigned* list;
};

__device__ float4 force(float4 a, float4 b, float period) {
  float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  x -= period * rintf(x / period);
  y -= period * rintf(y / period);
  z -= period * rintf(z / period);
  const float r2 = x * x + y * y + z * z;
  const float inverse = 1.0F / r2;
  const float s6 = inverse * inverse * inverse;
  const float w = r2 < cutoff * cutoff && b.w == 0.0F ? 24.0F * inverse * s6 * (2.0F * s6 - 1.0F) : 0.0F;
  return {w * x, w * y, w * z, 0.0F};
}

// 0: whole lists. 1: half, three atomic additions a reaction. 2: half, one addition of four floats.
template <int Form>
__global__ void sum(Lists l, float period, float4* forces) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= l.bodies) return;
  const float4 own = l.at[i];
  float4 all{};
  const uint4* row = reinterpret_cast<const uint4*>(l.list) + (i / 32) * (l.entries / 4) * 32 + i % 32;
  for (int r = 0; r < l.entries / 4; ++r, row += 32) {
    const uint4 four = __ldg(row);
    const unsigned entry[4] = {four.x, four.y, four.z, four.w};
    for (const unsigned j : entry) {
      const float4 f = force(own, __ldg(l.at + j), period);
      all.x += f.x;
      all.y += f.y;
      all.z += f.z;
      if constexpr (Form > 0) {
        if (f.x == 0 && f.y == 0 && f.z == 0) continue; // beyond the cutoff
        if constexpr (Form == 1) {
          atomicAdd(&forces[j].x, -f.x);
          atomicAdd(&forces[j].y, -f.y);
          atomicAdd(&forces[j].z, -f.z);
        } else {
          atomicAdd(forces + j, float4{-f.x, -f.y, -f.z, 0});
        }
      }
    }
  }
  if constexpr (Form == 0) {
    forces[i] = all;
  } else {
    atomicAdd(&forces[i].x, all.x);
    atomicAdd(&forces[i].y, all.y);
    atomicAdd(&forces[i].z, all.z);
  }
}

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  std::exit(1);
}
template <class T>
T* on_device(const std::vector<T>& host) {
  T* p = nullptr;
  check(cudaMalloc(&p, host.size() * sizeof(T)));
  check(cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

} // namespace

int main(int argc, char** argv) {
  const int edge = (argc > 1 ? std::atoi(argv[1]) : 64) / 4 * 4; // at least 12
  const int bodies = edge * edge * edge;
  const float spacing = std::cbrt(1 / 0.8442F), period = spacing * static_cast<float>(edge);
  const auto number = [&](int x, int y, int z) {
    const auto in = [&](int c) { return (c + edge) % edge; };
    x = in(x), y = in(y), z = in(z);
    return (((z / 4) * (edge / 4) + y / 4) * (edge / 4) + x / 4) * 64 + (z % 4 * 4 + y % 4) * 4 + x % 4;
  };
  std::vector<float4> at(static_cast<std::size_t>(bodies) + 1);
  std::vector<int> offsets[2]; // of whole lists and of half: x, y, z
  const int far = static_cast<int>(reach / spacing) + 1;
  for (int z = -far; z <= far; ++z) {
    for (int y = -far; y <= far; ++y) {
      for (int x = -far; x <= far; ++x) {
        const float r2 = spacing * spacing * static_cast<float>(x * x + y * y + z * z);
        if (r2 == 0 || r2 > reach * reach) continue;
        const bool after = z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0)));
        for (int half = 0; half <= (after ? 1 : 0); ++half)
          offsets[half].insert(offsets[half].end(), {x, y, z});
      }
    }
  }
  unsigned random = 1;
  const auto shake = [&] {
    random = random * 1664525U + 1013904223U;
    return 0.1F * spacing * (static_cast<float>(random >> 8) * 0x1p-24F - 0.5F);
  };
  Lists lists[2];
  std::vector<unsigned> host[2];
  for (int half = 0; half < 2; ++half) {
    const int wanted = static_cast<int>(offsets[half].size()) / 3;
    lists[half] = {edge, bodies, (wanted + 3) / 4 * 4, nullptr, nullptr};
    host[half].assign(static_cast<std::size_t>(bodies) * lists[half].entries, bodies);
  }
  for (int z = 0; z < edge; ++z) {
    for (int y = 0; y < edge; ++y) {
      for (int x = 0; x < edge; ++x) {
        const int i = number(x, y, z);
        at[i] = {spacing * static_cast<float>(x) + shake(), spacing * static_cast<float>(y) + shake(),
                 spacing * static_cast<float>(z) + shake(), 0};
        for (int half = 0; half < 2; ++half) {
          const std::size_t first = static_cast<std::size_t>(i / 32) * (lists[half].entries / 4) * 128;
          for (std::size_t n = 0; n < offsets[half].size() / 3; ++n) {
            const int* o = &offsets[half][3 * n];
            host[half][first + (n / 4) * 128 + static_cast<std::size_t>(i % 32) * 4 + n % 4] =
                static_cast<unsigned>(number(x + o[0], y + o[1], z + o[2]));
          }
        }
      }
    }
  }
  at[bodies] = {0.5F * spacing, 0.5F * spacing, 0.5F * spacing, 1}; // a filler: w says so
  const float4* const positions = on_device(at);
  float4* forces = on_device(std::vector<float4>(static_cast<std::size_t>(bodies) + 1));
  for (int half = 0; half < 2; ++half) {
    lists[half].at = positions;
    lists[half].list = on_device(host[half]);
  }
  std::vector<float4> whole(bodies), got(bodies);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const auto measure = [&](const char* name, const Lists& l, auto kernel, bool adds) {
    float least = 1e30F;
    for (int turn = 0; turn < 8; ++turn) {
      check(cudaEventRecord(begin));
      if (adds) check(cudaMemsetAsync(forces, 0, sizeof(float4) * bodies));
      kernel<<<(bodies + 127) / 128, 128>>>(l, period, forces);
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      float took = 0;
      check(cudaEventElapsedTime(&took, begin, end));
      least = std::fmin(least, took);
    }
    check(cudaMemcpy(got.data(), forces, sizeof(float4) * bodies, cudaMemcpyDeviceToHost));
    if (!adds) whole = got;
    double worst = 0, most = 0;
    for (int i = 0; i < bodies; ++i) {
      most = std::fmax(most, std::fabs(whole[i].x));
      worst = std::fmax(worst, std::fabs(got[i].x - whole[i].x));
    }
    std::printf("%-28s %9d bodies %3d entries %8.4f ms  off by %.1e of the largest\n", name, bodies, l.entries, least,
                worst / most);
  };
  measure("whole lists", lists[0], sum<0>, false);
  measure("half, three additions", lists[1], sum<1>, true);
  measure("half, one of four floats", lists[1], sum<2>, true);
}
