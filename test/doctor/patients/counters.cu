// Planted: a histogram of 64 bins whose counters lie side by side, so that atomics of all blocks meet in two lines.
// Control: each block has counters of its own in shared memory, and adds them once.
#include "patient.cuh"

constexpr int bins = 64;

__global__ void side_by_side(unsigned* counts, const unsigned* keys, long n) {
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    atomicAdd(&counts[(keys[i] + i) % bins], 1U);
}

__global__ void by_block(unsigned* counts, const unsigned* keys, long n) {
  __shared__ unsigned own[bins * 4];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    atomicAdd(&own[(keys[i] + i) % bins + bins * (threadIdx.x / 64)], 1U);
  __syncthreads();
  if (threadIdx.x >= bins) return;
  unsigned sum = 0;
  for (int copy = 0; copy < 4; ++copy)
    sum += own[threadIdx.x + bins * copy];
  atomicAdd(&counts[threadIdx.x], sum);
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 16L << 20;
  auto* const keys = patient::numbers<unsigned>(n);
  auto* const counts = patient::numbers<unsigned>(bins);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      side_by_side<<<patient::units * 8, 256>>>(counts, keys, n);
    else
      by_block<<<patient::units * 8, 256>>>(counts, keys, n);
  }
  return patient::finish();
}
