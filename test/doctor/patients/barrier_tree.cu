// Planted: sums of a block by a tree in shared memory, with a barrier a level. Control: by shuffles within warps.
#include "patient.cuh"

__global__ void by_tree(float* y, const float* x, int rounds) {
  __shared__ float sums[1024];
  float all = 0, own = x[blockIdx.x * 1024 + threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    sums[threadIdx.x] = own + r;
    __syncthreads();
    for (int half = 512; half > 0; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    all += sums[0];
    __syncthreads();
  }
  y[blockIdx.x * 1024 + threadIdx.x] = all;
}

__global__ void by_warps(float* y, const float* x, int rounds) {
  __shared__ float sums[2][32];
  float all = 0, own = x[blockIdx.x * 1024 + threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    float part = own + r;
    for (int lane = 16; lane > 0; lane /= 2)
      part += __shfl_xor_sync(~0U, part, lane);
    sums[r % 2][threadIdx.x / 32] = part;
    __syncthreads();
    part = sums[r % 2][threadIdx.x % 32];
    for (int lane = 16; lane > 0; lane /= 2)
      part += __shfl_xor_sync(~0U, part, lane);
    all += part;
  }
  y[blockIdx.x * 1024 + threadIdx.x] = all;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int blocks = patient::units * 8;
  auto* const x = patient::numbers<float>(std::size_t(blocks) * 1024);
  auto* const y = patient::numbers<float>(std::size_t(blocks) * 1024);
  for (int k = 0; k < 60; ++k) {
    if (sick)
      by_tree<<<blocks, 1024>>>(y, x, 200);
    else
      by_warps<<<blocks, 1024>>>(y, x, 200);
  }
  return patient::finish();
}
